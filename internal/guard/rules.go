package guard

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// ruleGuardian applies the built-in and the administrator's rules.
type ruleGuardian struct{}

func (ruleGuardian) name() string { return "rules" }

func (ruleGuardian) check(_ context.Context, in *inspection) ([]finding, error) {
	var findings []finding
	for _, rule := range builtinToolRules() {
		if rule.matches(in) {
			findings = append(findings, rule.finding("tool", in.call.Tool.Name))
		}
	}
	if script := in.shell(); script != nil {
		findings = append(findings, in.commandFindings(script)...)
	}
	findings = append(findings, in.codeFindings()...)
	findings = append(findings, in.commandLists()...)
	for i := range in.rules.custom {
		if f, found := in.rules.custom[i].check(in); found {
			findings = append(findings, f)
		}
	}
	return findings, nil
}

func (r toolRule) matches(in *inspection) bool {
	tool := in.call.Tool
	for argument, want := range r.Arguments {
		if in.call.Args[argument] != want {
			return false
		}
	}
	return (r.Tool == "" || doublestar.MatchUnvalidated(r.Tool, tool.Name)) &&
		(r.Category == "" || r.Category == tool.Category) &&
		(len(r.Effects) == 0 || slices.Contains(r.Effects, tool.Effect))
}

// commandLists are shell.allow and shell.deny: what they refuse is refused, what
// they cannot decide asks.
func (in *inspection) commandLists() []finding {
	line := in.line()
	if line == "" || in.settings.Command == nil {
		return nil
	}
	answer := in.settings.Command(line)
	switch {
	case answer.Refused != "":
		f := ruleHead{"command.refused", High, actionDeny, answer.Refused}.finding("command", line)
		f.reason = answer.Refused
		return []finding{f}
	case answer.Unclear != "":
		unclear := ruleHead{ID: "command.unclear", Severity: Medium, Message: answer.Unclear}
		return []finding{unclear.finding("command", line)}
	}
	return nil
}

func (r *customRule) check(in *inspection) (finding, bool) {
	if !r.tool.match(in.call.Tool.Name) {
		return finding{}, false
	}
	evident, found := "", false
	if r.pattern == nil {
		evident, found = r.command(in)
	} else if r.Argument == "" {
		evident, found = r.anywhere(in.call.Args)
	} else {
		evident, found = r.anywhere(in.call.Args[r.Argument])
	}
	if !found && r.pattern != nil && (r.Argument == "" || r.Argument == "command") {
		if script := in.shell(); script != nil { // a line that is mended runs in another spelling
			evident, found = r.anywhere(script.Source)
		}
	}
	if !found {
		return finding{}, false
	}
	message := r.Message
	if message == "" {
		message = fmt.Sprintf("it matches the rule %s of this server", r.ID)
	}
	return ruleHead{r.ID, Severity(r.Severity), r.Action, message}.finding("custom", evident), true
}

// command looks for the rule's command in the parsed command line.
func (r *customRule) command(in *inspection) (string, bool) {
	script := in.shell()
	if script == nil {
		return "", false
	}
	for i := range script.Calls {
		if call := &script.Calls[i]; call.MayBe(r.Command) {
			return call.String(), true
		}
	}
	return "", false
}

// anywhere looks for the rule's pattern in every string of a value.
func (r *customRule) anywhere(value any) (string, bool) {
	for text := range textsOf(value) {
		if at := r.pattern.FindStringIndex(text); at != nil {
			return text[at[0]:at[1]], true
		}
	}
	return "", false
}

// textsOf are the strings of a JSON value: keys as well, in their order.
func textsOf(value any) iter.Seq[string] {
	return func(yield func(string) bool) { eachText(value, yield) }
}

func eachText(value any, yield func(string) bool) bool {
	switch value := value.(type) {
	case string:
		return yield(value)
	case []any:
		for _, item := range value {
			if !eachText(item, yield) {
				return false
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if !yield(key) || !eachText(value[key], yield) {
				return false
			}
		}
	}
	return true
}

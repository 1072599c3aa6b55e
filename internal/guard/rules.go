package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"nanoclaw/internal/shellsyntax"
)

// ruleGuardian applies the built-in and the administrator's rules.
type ruleGuardian struct{}

func (ruleGuardian) name() string { return "rules" }

func (ruleGuardian) check(_ context.Context, look *look) ([]finding, error) {
	var findings []finding
	for _, rule := range builtinToolRules() {
		if rule.matches(look) {
			findings = append(findings, finding{
				Finding: Finding{ID: rule.ID, Severity: rule.Severity, Category: "tool", Message: rule.Message, Evidence: look.call.Tool.Name},
				deny:    rule.Action == "deny",
			})
		}
	}
	if script := look.shell(); script != nil {
		findings = append(findings, dangers(script)...)
	}
	for _, code := range look.codes() {
		findings = append(findings, codeFindings(code)...)
	}
	findings = append(findings, look.commandLists()...)
	for i := range look.rules.custom {
		if f, found := look.rules.custom[i].check(look); found {
			findings = append(findings, f)
		}
	}
	return findings, nil
}

func (r toolRule) matches(look *look) bool {
	tool := look.call.Tool
	return (r.Tool == "" || doublestar.MatchUnvalidated(r.Tool, tool.Name)) &&
		(r.Category == "" || r.Category == tool.Category) &&
		(len(r.Effects) == 0 || slices.Contains(r.Effects, tool.Effect))
}

// dangers are the rules of shell commands that a line matches.
func dangers(script *shellsyntax.Analysis) []finding {
	var findings []finding
	for _, danger := range script.Dangers {
		findings = append(findings, finding{
			Finding: Finding{ID: danger.Rule.ID, Severity: Severity(danger.Rule.Severity), Category: "command", Message: danger.Rule.Message, Evidence: evidence(danger.Evidence)},
			deny:    danger.Rule.Action == "deny" && !danger.Guess,
		})
	}
	return findings
}

// commandLists are shell.allow and shell.deny: what they refuse is refused, what
// they cannot decide asks.
func (l *look) commandLists() []finding {
	line := l.text("command")
	if l.call.Tool.Name != shellTool || line == "" || l.settings.Command == nil {
		return nil
	}
	answer := l.settings.Command(line)
	switch {
	case answer.Refused != "":
		return []finding{{
			Finding: Finding{ID: "command.refused", Severity: High, Category: "command", Message: answer.Refused, Evidence: evidence(line)},
			deny:    true, reason: answer.Refused,
		}}
	case answer.Unclear != "":
		return []finding{{Finding: Finding{ID: "command.unclear", Severity: Medium, Category: "command", Message: answer.Unclear, Evidence: evidence(line)}}}
	}
	return nil
}

func (r *customRule) check(look *look) (finding, bool) {
	if !r.tool.match(look.call.Tool.Name) {
		return finding{}, false
	}
	evident, found := "", false
	if r.pattern == nil {
		evident, found = r.command(look)
	} else if r.Argument == "" {
		evident, found = r.anywhere(look.call.Args)
	} else {
		evident, found = r.anywhere(look.call.Args[r.Argument])
	}
	if !found && r.pattern != nil && (r.Argument == "" || r.Argument == "command") {
		if script := look.shell(); script != nil { // a line that is mended runs in another spelling
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
	return finding{
		Finding: Finding{ID: r.ID, Severity: Severity(r.Severity), Category: "custom", Message: message, Evidence: evidence(evident)},
		deny:    r.Action == "deny",
	}, true
}

// command looks for the rule's command in the parsed command line. One that
// cannot be parsed may hold it.
func (r *customRule) command(look *look) (string, bool) {
	script := look.shell()
	if script == nil {
		return "", false
	}
	for _, command := range script.Commands {
		if command.Denied(r.Command) {
			return command.String(), true
		}
	}
	return "", false
}

// anywhere looks for the rule's pattern in every string of a value.
func (r *customRule) anywhere(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		if at := r.pattern.FindStringIndex(value); at != nil {
			return value[at[0]:at[1]], true
		}
	case []any:
		for _, item := range value {
			if evident, found := r.anywhere(item); found {
				return evident, true
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if evident, found := r.anywhere(key); found {
				return evident, true
			}
			if evident, found := r.anywhere(value[key]); found {
				return evident, true
			}
		}
	}
	return "", false
}

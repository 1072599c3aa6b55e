package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/visible"
)

// what is the call in short.
func (a Approval) what() string {
	if a.Call == nil {
		return "a call"
	}
	return oneLine(a.Call.Function.Name + " " + cutTelling(summary(*a.Call), 120))
}

// Question is what a person has to see to decide on a call: the tool, who calls
// it, what was noticed, and the arguments in full, with their length. Nothing in
// them goes unseen. It ends with a new line.
func (a Approval) Question() string {
	var b strings.Builder
	tool, arguments := "a call", ""
	if a.Call != nil {
		tool, arguments = oneLine(a.Call.Function.Name), a.Call.Function.Arguments
	}
	fmt.Fprintf(&b, "%s needs your approval", tool)
	if a.AgentPath != "" {
		fmt.Fprintf(&b, " (%s)", oneLine(a.AgentPath))
	}
	b.WriteString("\n")
	for _, finding := range a.Findings {
		fmt.Fprintf(&b, "  %-8s %s", oneLine(finding.Severity), revealLine(finding.Message))
		if finding.Evidence != "" {
			fmt.Fprintf(&b, ": %s", cutTelling(revealLine(finding.Evidence), 200))
		}
		b.WriteString("\n")
	}
	for line := range strings.Lines(PrettyJSON(arguments)) {
		b.WriteString("  " + visible.Text(strings.TrimRight(line, "\n")) + "\n")
	}
	fmt.Fprintf(&b, "  (%s)\n", plural(utf8.RuneCountInString(arguments), "character"))
	if len(a.Coverages) > 1 {
		b.WriteString("For this conversation, or always, you can approve:\n")
		for _, coverage := range a.Coverages {
			fmt.Fprintf(&b, "  %-7s %s\n", oneLine(coverage.Covers), coverage.words(tool))
		}
	}
	return b.String()
}

// words say which calls of a tool a coverage includes.
func (c Coverage) words(tool string) string {
	var reasons []string
	for _, rule := range c.Rules {
		reasons = append(reasons, revealLine(rule.Message))
	}
	found := strings.Join(reasons, "; ")
	switch c.Covers {
	case "call":
		return "this call with just these arguments"
	case "prefix":
		words := "every command " + revealLine(c.Pattern) + ", alone or beside harmless ones"
		if found != "" {
			words += ", also when: " + found
		}
		return words
	case "rule":
		return fmt.Sprintf("every call of %s that asks for no other reason than: %s", tool, found)
	case "tool":
		return "every call of " + tool + "; only what is critical or cannot be checked still asks"
	}
	return "unknown to this version"
}

// Offers says whether an approval for more than one call can cover that.
func (a Approval) Offers(covers string) bool {
	return slices.ContainsFunc(a.Coverages, func(c Coverage) bool { return c.Covers == covers })
}

// PrettyJSON is a JSON text over several lines; what is none stays as it is.
func PrettyJSON(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
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
// them goes unseen (see reveal). It ends with a new line.
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
		b.WriteString("  " + reveal(strings.TrimRight(line, "\n")) + "\n")
	}
	fmt.Fprintf(&b, "  (%s)\n", plural(utf8.RuneCountInString(arguments), "character"))
	return b.String()
}

// PrettyJSON is a JSON text over several lines; what is none stays as it is.
func PrettyJSON(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

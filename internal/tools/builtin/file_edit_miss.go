package builtin

import (
	"fmt"
	"strings"

	"nanoclaw/internal/workspace"
)

const maxShownLines = 5 // numbers of lines in an error

// noMatch explains to the model why its text was not found.
func noMatch(text string, args fileEditArgs) error {
	message := "old_string does not occur in the file"
	switch near := nearMatches(text, args.OldString); {
	case len(near) > 0:
		message += fmt.Sprintf(
			"; with other white space it does, at line %s: copy the text exactly as file_read shows it, with "+
				"its indentation", joinNumbers(near))
	case strings.Contains(strings.ToLower(text), strings.ToLower(args.OldString)):
		message += fmt.Sprintf("; with other upper and lower case it does, at line %s", lineList(strings.ToLower(text),
			strings.ToLower(args.OldString)))
	default:
		message += firstLineHint(text, args.OldString)
	}
	return fileError(workspace.CodeInvalidArgument, args.Path, "%s", message)
}

// nearMatches finds the lines where the text occurs when white space does not
// count, as whole lines.
func nearMatches(text, old string) []int {
	wanted := squeezedLines(strings.Trim(old, "\r\n"))
	lines := squeezedLines(text)
	var found []int
	for i := 0; i+len(wanted) <= len(lines); i++ {
		if linesMatch(lines[i:i+len(wanted)], wanted) {
			found = append(found, i+1)
		}
	}
	return found
}

// linesMatch compares lines; the first and the last may go on beyond the wanted text.
func linesMatch(lines, wanted []string) bool {
	last := len(wanted) - 1
	for i, line := range lines {
		switch {
		case wanted[i] == "" && last == 0:
			return false
		case last == 0:
			if !strings.Contains(line, wanted[i]) {
				return false
			}
		case i == 0:
			if !strings.HasSuffix(line, wanted[i]) {
				return false
			}
		case i == last:
			if !strings.HasPrefix(line, wanted[i]) {
				return false
			}
		case line != wanted[i]:
			return false
		}
	}
	return true
}

func squeezedLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

// firstLineHint says where the text's first line stands, when the rest differs.
func firstLineHint(text, old string) string {
	for line := range strings.SplitSeq(old, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if at := strings.Index(text, line); at >= 0 && line != strings.TrimSpace(old) {
			return fmt.Sprintf("; its first line is at line %d, but what follows there differs: read that part again",
				1+strings.Count(text[:at], "\n"))
		}
		break
	}
	return ": read the file again, it may have changed"
}

// lineList is the numbers of the lines where old begins.
func lineList(text, old string) string { return linesOf(text, matches(text, old, openText(text))) }

// linesOf is the numbers of the lines of places in a text.
func linesOf(text string, places []int) string {
	var numbers []int
	line, from := 1, 0
	for _, at := range places[:min(len(places), maxShownLines+1)] {
		line += strings.Count(text[from:at], "\n")
		numbers, from = append(numbers, line), at
	}
	return joinNumbers(numbers)
}

func joinNumbers(numbers []int) string {
	var shown []string
	for i, number := range numbers {
		if i == maxShownLines {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, fmt.Sprint(number))
	}
	return strings.Join(shown, ", ")
}

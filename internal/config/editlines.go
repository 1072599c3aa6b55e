package config

import "strings"

// keepLines is a changed section with the lines of its text where they say the same:
// their blanks, their brackets and the empty lines between them. before and after are
// how the library prints the section as it stood and as it is now. false: the text and
// before cannot be laid side by side.
func keepLines(text, before, after string) (string, bool) {
	printed := strings.SplitAfter(strings.TrimSuffix(before, "\n"), "\n")
	typed, ok := layOut(text, printed)
	if !ok {
		return "", false
	}
	indents := map[string]string{} // of printed lines, as they are typed
	for i, line := range printed {
		indents[indentOf(line)] = indentOf(typed[i].text)
	}
	written := strings.SplitAfter(strings.TrimSuffix(after, "\n"), "\n")
	kept, isKept := commonLines(printed, written), map[int]bool{}
	for _, i := range kept {
		isKept[i] = true
	}
	var b strings.Builder
	next := 0 // the printed line that comes next
	for j, line := range written {
		if i, found := kept[j]; found {
			b.WriteString(typed[i].above + typed[i].text)
			next = i + 1
			continue
		}
		if next < len(typed) && !isKept[next] { // it stands in its place
			b.WriteString(typed[next].above)
			next++
		}
		indent := indentOf(line)
		if own, known := indents[indent]; known {
			line = own + strings.TrimPrefix(line, indent)
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String(), true
}

// typedLine is a line of a file, with the empty lines above it.
type typedLine struct{ above, text string }

// layOut finds the line of a text for each printed one.
func layOut(text string, printed []string) ([]typedLine, bool) {
	typed := make([]typedLine, 0, len(printed))
	above := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n") + "\n"
		isNext := len(typed) < len(printed) && withoutBlanks(line) == withoutBlanks(printed[len(typed)])
		switch {
		case isNext:
			typed = append(typed, typedLine{above, line})
			above = ""
		case withoutBlanks(line) == "":
			above += line
		default:
			return nil, false
		}
	}
	return typed, len(typed) == len(printed)
}

// commonLines is which line of a each line of b is, where it is one: as many as possible, in order.
func commonLines(a, b []string) map[int]int {
	length := make([][]int, len(a)+1) // of what a[i:] and b[j:] have in common
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	same := func(i, j int) bool { return strings.TrimSuffix(a[i], "\n") == strings.TrimSuffix(b[j], "\n") }
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(i, j) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	common := map[int]int{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(i, j):
			common[j] = i
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

func withoutBlanks(line string) string { return strings.Join(strings.Fields(line), "") }

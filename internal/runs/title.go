package runs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleLength is in code points.
const titleLength = 60

// titleOf suggests a conversation's title: the beginning of the first message, cut
// at the end of a sentence or a word. It stands until a model is asked for a better one.
func titleOf(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	for i, r := range line {
		ends := strings.ContainsRune("。！？!?\n", r) || (r == '.' && strings.HasPrefix(line[i+1:], " "))
		if ends && utf8.RuneCountInString(line[:i]) >= 8 {
			line = line[:i]
			break
		}
	}
	runes := []rune(line)
	if len(runes) <= titleLength {
		return strings.TrimRightFunc(line, endsSentence)
	}
	cut := titleLength - 1
	for i := cut; i > titleLength/2; i-- {
		if unicode.IsSpace(runes[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRightFunc(string(runes[:cut]), func(r rune) bool {
		return unicode.IsPunct(r) ||
			unicode.IsSpace(r)
	}) + "…"
}

// endsSentence says whether a title needs the rune at its end. A closing bracket or
// quote belongs to what it closes.
func endsSentence(r rune) bool {
	return unicode.IsPunct(r) && !unicode.In(r, unicode.Pe, unicode.Pf) && !strings.ContainsRune(`"'%*_`+"`", r)
}

package shellanalysis

import "strings"

// Quote makes one word of a text, which means nothing but itself to a shell.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

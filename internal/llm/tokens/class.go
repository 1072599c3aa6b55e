package tokens

// class sorts bytes by how tokenizers treat them.
type class uint8

const (
	sign class = iota // printable ASCII that is none of the below, and control characters
	space
	newline
	digit
	lower
	upper
	wide // part of a rune beyond ASCII
)

var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = wide
		case c >= 'a' && c <= 'z':
			table[c] = lower
		case c >= 'A' && c <= 'Z':
			table[c] = upper
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == '\n' || c == '\r':
			table[c] = newline
		case c == ' ' || c == '\t':
			table[c] = space
		}
	}
	return table
}()

// runeCost is what a rune beyond ASCII costs, in hundredths of a token.
func runeCost(r rune) int {
	switch {
	case r < 0x0250: // accented Latin: breaks the word around it
		return 70
	case r < 0x0530: // Greek, Cyrillic
		return 38
	case r < 0x0700: // Armenian, Hebrew, Arabic
		return 55
	case r < 0x2000: // Indic scripts, Thai, Georgian, Ethiopic …
		return 65
	case r < 0x2E80: // punctuation, arrows, box drawing, symbols
		return 110
	case r < 0xAC00: // Han, kana, their punctuation
		return 98
	case r < 0xD800: // Hangul
		return 90
	case r < 0x10000: // full-width forms, private use, variation selectors
		return 100
	}
	return 190 // emoji, rare Han
}

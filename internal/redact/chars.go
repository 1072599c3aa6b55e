package redact

// Classes of bytes. All of them are ASCII, so that text in other scripts always
// ends a word: a secret between Chinese characters stands alone.
const (
	isUpper = 1 << iota
	isLower
	isDigit
	isHexLetter   // a-f, A-F
	isUnderscore  // part of a word
	isTokenSymbol // may be part of a token of the known formats
	isSpace       // blank or tab
	isBlank       // stands for a byte of an existing mark

	isLetter = isUpper | isLower
	isAlnum  = isLetter | isDigit
	isWord   = isAlnum | isUnderscore | isBlank
	isToken  = isAlnum | isUnderscore | isTokenSymbol
)

var chars = func() (table [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		table[c] |= isLower
		table[c-'a'+'A'] |= isUpper
	}
	for c := 'a'; c <= 'f'; c++ {
		table[c] |= isHexLetter
		table[c-'a'+'A'] |= isHexLetter
	}
	for c := '0'; c <= '9'; c++ {
		table[c] |= isDigit
	}
	for _, c := range "-.+/=~%$:@," {
		table[c] |= isTokenSymbol
	}
	table['_'] |= isUnderscore
	table[' '] |= isSpace
	table['\t'] |= isSpace
	table[blankByte] |= isBlank
	return table
}()

func is(c byte, class uint8) bool { return chars[c]&class != 0 }

func lower(c byte) byte {
	if is(c, isUpper) {
		return c + 'a' - 'A'
	}
	return c
}

// runEnd is the end of the run of bytes of a class that begins at i.
func runEnd(s string, i int, class uint8) int {
	for i < len(s) && is(s[i], class) {
		i++
	}
	return i
}

// runStart is the start of the run of bytes of a class that ends at i, at most limit bytes long.
func runStart(s string, i int, class uint8, limit int) int {
	for low := max(0, i-limit); i > low && is(s[i-1], class); {
		i--
	}
	return i
}

// boundaryBefore says whether a word may begin at i: what stands before is not
// part of a word, or is the end of an escape (\n, %3D, \u003d, a terminal colour).
func boundaryBefore(s string, i int) bool {
	if i == 0 || !is(s[i-1], isWord) {
		return true
	}
	before := s[max(0, i-12):i]
	n := len(before)
	switch c := before[n-1]; {
	case n >= 2 && before[n-2] == '\\' && (c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f'):
		return true
	case n >= 3 && before[n-3] == '%' && isHex(before[n-2:]):
		return true
	case n >= 6 && before[n-6] == '\\' && before[n-5] == 'u' && isHex(before[n-4:]):
		return true
	case c == 'm':
		return endsColour(before[:n-1])
	}
	return false
}

func isHex(s string) bool {
	for i := range len(s) {
		if !is(s[i], isDigit|isHexLetter) {
			return false
		}
	}
	return true
}

// endsColour says whether s ends as a terminal's colour sequence does before its
// 'm': escape, '[', digits and ';'. The escape may itself be escaped.
func endsColour(s string) bool {
	i := len(s)
	for i > 0 && (is(s[i-1], isDigit) || s[i-1] == ';') {
		i--
	}
	if i < 2 || s[i-1] != '[' {
		return false
	}
	c := lower(s[i-2])
	return c == 0x1b || c == 'b' || c == '3' || c == 'e'
}

// boundaryAfter says whether a word may end at i.
func boundaryAfter(s string, i int) bool { return i >= len(s) || !is(s[i], isWord) }

package tokens

import "unicode/utf8"

// Costs are in hundredths of a token, fitted to cl100k_base and o200k_base; where
// the two differ by much (scripts that o200k_base learned later) the cost lies
// between them, nearer to the dearer one: a guard of the context window had
// better count too much.
const (
	whole     = 100
	repeatMax = 40 // characters of a repeated sign that one token holds, roughly
)

// Count estimates the number of tokens of a text. See the package comment for
// how far it may be off.
func Count(text string) int {
	cost := 0
	for i := 0; i < len(text); {
		kind := classes[text[i]]
		end := i + 1
		switch kind {
		case upper, lower:
			end = wordEnd(text, i)
			cost += wordCost(text[i:end])
		case digit:
			for end < len(text) && classes[text[end]] == digit {
				end++
			}
			cost += (end - i + 2) / 3 * whole
		case space, newline:
			end = runEnd(text, i, space, newline)
			cost += spaceCost(text, i, end)
		case sign:
			end = runEnd(text, i, sign, sign)
			cost += signCost(text, i, end)
		case wide:
			r, size := utf8.DecodeRuneInString(text[i:])
			end = i + size
			cost += runeCost(r)
		}
		i = end
	}
	return (cost + whole - 1) / whole
}

// wordEnd finds where the word that starts at i ends: at the last letter, or
// where lower case turns into upper case, as in camelCase.
func wordEnd(text string, i int) int {
	end := i + 1
	for end < len(text) {
		switch classes[text[end]] {
		case lower:
		case upper:
			if classes[text[end-1]] == lower {
				return end
			}
		default:
			return end
		}
		end++
	}
	return end
}

// wordCost is one token for a word as people write them and more for what no
// dictionary holds.
func wordCost(word string) int {
	n := len(word)
	switch {
	case n <= 3:
		return 95
	case n <= 7:
		return 105
	case n <= 10:
		return 130
	case n <= 18:
		return n * 16
	case sameBytes(word):
		return n * whole / 8
	}
	return n * 52
}

// spaceCost knows that one space before a word or a sign belongs to it, and that
// a line break belongs to the signs before it.
func spaceCost(text string, start, end int) int {
	n := end - start
	if n == 1 && text[start] == ' ' {
		if end < len(text) && classes[text[end]] == digit {
			return whole
		}
		return 0
	}
	cost := (1 + n/repeatMax) * whole
	if classes[text[start]] == newline && start > 0 && classes[text[start-1]] == sign {
		cost -= whole * 6 / 10
	}
	return cost
}

// signCost: signs travel in pairs (`",`, `()`, `:=`), and a single one is often
// part of the word that follows.
func signCost(text string, start, end int) int {
	n := end - start
	if n == 1 {
		if end < len(text) && (classes[text[end]] == lower || classes[text[end]] == upper) {
			return 70
		}
		return 95
	}
	if sameBytes(text[start:end]) {
		return (1 + n/repeatMax) * whole
	}
	return 60 + n*60
}

func runEnd(text string, i int, a, b class) int {
	for i < len(text) && (classes[text[i]] == a || classes[text[i]] == b) {
		i++
	}
	return i
}

func sameBytes(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			return false
		}
	}
	return true
}

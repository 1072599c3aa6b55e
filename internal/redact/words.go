package redact

import "strings"

// Random characters and words are told apart by pairs of letters: nine of ten
// pairs in English words and identifiers are among the 220 most common ones, of
// random pairs one in three.
var commonPairs = func() (table [26][26]bool) {
	for first, seconds := range map[byte]string{
		'a': "bcdgiklmnprstuv", 'b': "aeilosu", 'c': "acehiklorstu", 'd': "adeilorsu",
		'e': "acdefglmnprstvwx", 'f': "adefiloru", 'g': "einors", 'h': "aeio",
		'i': "abcdefglmnoprstvz", 'k': "eis", 'l': "adeilostuy", 'm': "aeimopsu",
		'n': "acdefgiknostuv", 'o': "bcdfglmnoprstuvw", 'p': "aeiloprstu", 'q': "u",
		'r': "acdegikmnorstuy", 's': "acehilopstuy", 't': "acehiloprstuy",
		'u': "abcefilmnprst", 'v': "aei", 'w': "ai", 'x': "pt", 'y': "ps", 'z': "e",
	} {
		for i := range len(seconds) {
			table[first-'a'][seconds[i]-'a'] = true
		}
	}
	return table
}()

// profile counts what tells random characters from words.
type profile struct {
	text                            string
	lowers, uppers, digits, symbols int
	spaces, foreign                 int // foreign: bytes outside of ASCII
	changes                         int // between lower case, upper case and digits, but for capitals that begin words
	pairs, common                   int // pairs of letters inside of words
	distinct                        int
}

func profileOf(s string) profile {
	p := profile{text: s}
	var seen [256]bool
	var last uint8 // class of the byte before, 0 after a symbol
	for i := range len(s) {
		c := s[i]
		if !seen[c] {
			seen[c] = true
			p.distinct++
		}
		class := chars[c] & (isUpper | isLower | isDigit)
		switch {
		case class == isLower:
			p.lowers++
		case class == isUpper:
			p.uppers++
		case class == isDigit:
			p.digits++
		case c == ' ':
			p.spaces++
		case c >= 0x80:
			p.foreign++
		default:
			p.symbols++
		}
		begins := class == isUpper && i+1 < len(s) && is(s[i+1], isLower)
		if class != 0 && last != 0 && class != last && !begins {
			p.changes++
		}
		if class&isLetter != 0 && last&isLetter != 0 && !(last == isLower && class == isUpper) {
			p.pairs++
			if commonPairs[lower(s[i-1])-'a'][lower(c)-'a'] {
				p.common++
			}
		}
		last = class
	}
	return p
}

func (p profile) letters() int { return p.lowers + p.uppers }

// classes counts the kinds of characters: lower case, upper case, digits, signs.
func (p profile) classes() int {
	n := 0
	for _, count := range [...]int{p.lowers, p.uppers, p.digits, p.symbols} {
		if count > 0 {
			n++
		}
	}
	return n
}

// wordy says whether the letters form words.
func (p profile) wordy() bool {
	return p.pairs >= 3 && 10*p.common >= 6*p.pairs && 2*p.digits <= p.letters()+p.symbols &&
		100*p.changes <= 27*len(p.text)
}

// shortestRandom is the length from which characters can look random.
const shortestRandom = 16

// random says whether the characters, or the longest run of letters and digits
// among them, look random: long, of several classes that change often, and
// not words.
func (p profile) random() bool {
	if len(p.text) < shortestRandom || p.spaces > 0 || p.foreign > 0 {
		return false
	}
	if p.symbols == 0 || strings.IndexByte(p.text, '.') < 0 && p.drawn() {
		return p.drawn()
	}
	longest := ""
	for i := 0; i < len(p.text); i++ {
		end := runEnd(p.text, i, isAlnum)
		if end-i > len(longest) {
			longest = p.text[i:end]
		}
		i = end
	}
	return len(longest) >= shortestRandom && profileOf(longest).drawn()
}

func (p profile) drawn() bool {
	if p.distinct < 7 || p.wordy() {
		return false
	}
	if p.digits == 0 {
		return p.uppers > 0 && p.lowers > 0 && 100*p.changes >= 25*len(p.text)
	}
	return 100*p.changes >= 15*len(p.text)
}

package calc

import (
	"math/big"
	"strings"
	"unicode"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName
	tokenOperator // + - * / // % ** ( ) [ ] ,
)

type token struct {
	kind     tokenKind
	text     string // operators and names, in lower case
	value    value  // numbers
	position int    // in characters, from 1
	glued    bool   // nothing stands between this token and the one before
}

// scanner turns an expression into tokens.
type scanner struct {
	runes  []rune
	pos    int
	tokens []token
}

func scan(expression string) ([]token, error) {
	s := scanner{runes: []rune(expression)}
	for i, r := range s.runes {
		s.runes[i] = plainRune(r)
	}
	for {
		before := s.pos
		for s.pos < len(s.runes) && unicode.IsSpace(s.runes[s.pos]) {
			s.pos++
		}
		start := s.pos
		t, err := s.next()
		if err != nil {
			return nil, err
		}
		t.position, t.glued = start+1, before == start
		s.tokens = append(s.tokens, t)
		if t.kind == tokenEnd {
			return s.tokens, nil
		}
	}
}

// plainRune maps what people and models write to what we read: full-width forms
// and the signs of printed mathematics.
func plainRune(r rune) rune {
	switch r {
	case '×', '∗', '·', '⋅', '∙':
		return '*'
	case '÷', '∕', '⁄':
		return '/'
	case '−', '–', '﹣':
		return '-'
	case '，':
		return ','
	}
	if r >= '！' && r <= '～' { // full-width ASCII
		return r - '！' + '!'
	}
	return r
}

func (s *scanner) at(offset int) rune {
	if s.pos+offset < len(s.runes) {
		return s.runes[s.pos+offset]
	}
	return 0
}

func (s *scanner) next() (token, error) {
	switch r := s.at(0); {
	case r == 0 && s.pos >= len(s.runes):
		return token{kind: tokenEnd}, nil
	case isDigit(r), r == '.' && isDigit(s.at(1)):
		return s.number()
	case r == 'π', r == 'τ':
		s.pos++
		return token{kind: tokenName, text: map[rune]string{'π': "pi", 'τ': "tau"}[r]}, nil
	case unicode.IsLetter(r), r == '_':
		return s.name()
	case r == '*' && s.at(1) == '*', r == '/' && s.at(1) == '/':
		s.pos += 2
		return token{kind: tokenOperator, text: string([]rune{r, r})}, nil
	case r < unicode.MaxASCII && strings.ContainsRune("+-*/%(),[]", r):
		s.pos++
		return token{kind: tokenOperator, text: string(r)}, nil
	default:
		return token{}, s.unknown(r)
	}
}

// unknown explains a character that stands for something elsewhere.
func (s *scanner) unknown(r rune) error {
	hints := map[rune]string{
		'^':  "^ is not a power here; write ** (2**3)",
		'!':  "write factorial(n) for n!",
		'√':  "write sqrt(x) for a root",
		'²':  "write **2 for a square",
		'³':  "write **3 for a cube",
		'=':  "= is not arithmetic; pass one expression, without names or comparisons",
		'<':  "comparisons are not taken; pass one arithmetic expression",
		'>':  "comparisons are not taken; pass one arithmetic expression",
		';':  "pass one expression per call",
		'{':  "use ( and ) to group",
		'}':  "use ( and ) to group",
		'|':  "write abs(x) for |x|",
		'$':  "leave currencies and units out",
		'€':  "leave currencies and units out",
		'¥':  "leave currencies and units out",
		'￥':  "leave currencies and units out",
		'"':  "text is not taken, only numbers",
		'\'': "text is not taken, only numbers",
		'&':  "bit operations are not taken",
		'~':  "bit operations are not taken",
	}
	if hint, known := hints[r]; known {
		return fail(s.pos+1, "%s", hint)
	}
	return fail(s.pos+1, "the character %q is not taken in an expression", r)
}

// name reads a function or constant; the prefix of Python's module is dropped.
func (s *scanner) name() (token, error) {
	start := s.pos
	for unicode.IsLetter(s.at(0)) || unicode.IsDigit(s.at(0)) || s.at(0) == '_' {
		s.pos++
	}
	text := strings.ToLower(string(s.runes[start:s.pos]))
	if s.at(0) == '.' {
		if text == "math" && unicode.IsLetter(s.at(1)) {
			s.pos++
			return s.name()
		}
		return token{}, fail(s.pos+1, "%q has no parts; only numbers, operators and functions are taken", text)
	}
	return token{kind: tokenName, text: text}, nil
}

// number reads 12, 1_000, 3.14, .5, 1e-3, 0xff, 0o17, 0b101.
func (s *scanner) number() (token, error) {
	start := s.pos
	if base := s.base(); base != 0 {
		return s.inBase(base)
	}
	s.digits()
	whole := string(s.runes[start:s.pos])
	if s.at(0) == '.' {
		s.pos++
		s.digits()
	}
	if r := s.at(0); r == 'e' || r == 'E' {
		sign := 0
		if r := s.at(1); r == '+' || r == '-' {
			sign = 1
		}
		if isDigit(s.at(1 + sign)) {
			s.pos += 1 + sign
			s.digits()
		}
	}
	if r := s.at(0); r == '.' || r == '_' {
		return token{}, fail(s.pos+1, "a number has one decimal point, and _ only between digits")
	}
	if len(whole) == 3 && whole[0] == '0' && s.behindComma(start) {
		return token{}, fail(start+1, "write numbers without thousands separators (1000 or 1_000, not 1,000)")
	}
	text := strings.ReplaceAll(string(s.runes[start:s.pos]), "_", "")
	v, err := parseNumber(text, start+1)
	return token{kind: tokenNumber, value: v}, err
}

// behindComma says whether a number stands right behind "digit,".
func (s *scanner) behindComma(start int) bool {
	return start >= 2 && s.runes[start-1] == ',' && isDigit(s.runes[start-2])
}

// digits passes digits, with single underscores between them.
func (s *scanner) digits() {
	for isDigit(s.at(0)) || s.at(0) == '_' && s.pos > 0 && isDigit(s.runes[s.pos-1]) && isDigit(s.at(1)) {
		s.pos++
	}
}

func (s *scanner) base() int {
	if s.at(0) != '0' {
		return 0
	}
	switch s.at(1) {
	case 'x', 'X':
		return 16
	case 'o', 'O':
		return 8
	case 'b', 'B':
		return 2
	}
	return 0
}

func (s *scanner) inBase(base int) (token, error) {
	start := s.pos
	s.pos += 2
	for unicode.IsLetter(s.at(0)) || isDigit(s.at(0)) || s.at(0) == '_' {
		s.pos++
	}
	text := strings.ReplaceAll(string(s.runes[start+2:s.pos]), "_", "")
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		return token{}, fail(start+1, "%q is not a number of base %d", string(s.runes[start:s.pos]), base)
	}
	return token{kind: tokenNumber, value: integer(n)}, nil
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

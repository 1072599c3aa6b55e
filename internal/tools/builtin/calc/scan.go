package calc

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
}

// scanner turns an expression into tokens, one ahead.
type scanner struct {
	rest     string
	position int // of rest, in characters, from 1
	previous token
	ahead    token
	scanned  bool // ahead is set
}

func newScanner(expression string) *scanner {
	return &scanner{rest: strings.Map(plainRune, expression), position: 1}
}

// plainRune maps full-width forms and the signs of printed mathematics to ASCII.
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
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

func (s *scanner) peek() token {
	if !s.scanned {
		s.ahead, s.scanned = s.next(), true
	}
	return s.ahead
}

func (s *scanner) take() token {
	s.previous = s.peek()
	s.scanned = s.previous.kind == tokenEnd
	return s.previous
}

// advance takes length bytes of the rest.
func (s *scanner) advance(length int) string {
	text := s.rest[:length]
	s.rest = s.rest[length:]
	s.position += utf8.RuneCountInString(text)
	return text
}

var (
	space    = regexp.MustCompile(`^\s+`)
	name     = regexp.MustCompile(`^(?:math\.)?[\pL_][\pL\p{Nd}_]*`)
	operator = regexp.MustCompile(`^(?:\*\*|//|[-+*/%(),[\]])`)
	based    = regexp.MustCompile(`^0(?:[xX]|[oO]|[bB])[\pL0-9_]*`)
	decimal  = regexp.MustCompile(
		`^(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][-+]?[0-9]+)?`)
)

func (s *scanner) next() token {
	glued := !space.MatchString(s.rest)
	s.advance(len(space.FindString(s.rest)))
	start := s.position
	if s.rest == "" {
		return token{position: start}
	}
	if text := based.FindString(s.rest); text != "" {
		digits := strings.ReplaceAll(s.advance(len(text))[2:], "_", "")
		base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
		n, ok := new(big.Int).SetString(digits, base)
		if !ok {
			failAt(start, "%q is not a number of base %d", text, base)
		}
		return token{kind: tokenNumber, value: integer(n), position: start}
	}
	if text := decimal.FindString(s.rest); text != "" {
		s.advance(len(text))
		if s.rest != "" && (s.rest[0] == '.' || s.rest[0] == '_') {
			failAt(s.position, "a number has one decimal point, and _ only between digits")
		}
		if len(text) == 3 && text[0] == '0' && glued && s.previous.is(",") {
			failAt(start, "write numbers without thousands separators (1000 or 1_000, not 1,000)")
		}
		return token{kind: tokenNumber, value: parseNumber(text, start), position: start}
	}
	if r, size := utf8.DecodeRuneInString(s.rest); r == 'π' || r == 'τ' {
		s.advance(size)
		return token{kind: tokenName, text: map[rune]string{'π': "pi", 'τ': "tau"}[r], position: start}
	}
	if text := name.FindString(s.rest); text != "" {
		s.advance(len(text))
		if strings.HasPrefix(s.rest, ".") {
			failAt(s.position, "%q has no parts; only numbers, operators and functions are valid",
				strings.ToLower(text))
		}
		text = strings.TrimPrefix(strings.ToLower(text), "math.")
		return token{kind: tokenName, text: text, position: start}
	}
	text := operator.FindString(s.rest)
	if text == "" {
		s.unknown()
	}
	return token{kind: tokenOperator, text: s.advance(len(text)), position: start}
}

// hints explain characters that have a meaning elsewhere.
var hints = []struct{ characters, hint string }{
	{"^", "^ is not a power here; write ** (2**3)"},
	{"!", "write factorial(n) for n!"},
	{"√", "write sqrt(x) for a root"},
	{"²", "write **2 for a square"},
	{"³", "write **3 for a cube"},
	{"=", "= is not arithmetic; pass one expression, without names or comparisons"},
	{"<>", "comparisons are not supported; pass one arithmetic expression"},
	{";", "pass one expression per call"},
	{"{}", "use ( and ) to group"},
	{"|", "write abs(x) for |x|"},
	{"$€¥￥", "leave currencies and units out"},
	{`"'`, "text is not supported, only numbers"},
	{"&~", "bit operations are not supported"},
}

func (s *scanner) unknown() {
	r, _ := utf8.DecodeRuneInString(s.rest)
	for _, known := range hints {
		if strings.ContainsRune(known.characters, r) && r != unicode.ReplacementChar {
			failAt(s.position, "%s", known.hint)
		}
	}
	failAt(s.position, "the character %q is not supported in an expression", r)
}

// parseNumber reads digits with an optional point and exponent, exactly.
func parseNumber(text string, position int) value {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(text, "_", "")), "e")
	if exponent != "" {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxDigits || n < -maxDigits {
			failAt(position, "the exponent of the number is beyond %d", maxDigits)
		}
		mantissa += "e" + exponent
	}
	r, ok := new(big.Rat).SetString(mantissa)
	if !ok {
		failAt(position, "%q is not a number", text)
	}
	e := evaluator{at: position}
	return e.fraction(r)
}

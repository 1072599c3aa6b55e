package demo

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// expressions reads one or more arithmetic expressions, as "12*(3+4)",
// "3 plus 4", "2的10次方" or "1+1, 2+2 and 3+3". It only recognises them: what
// they come to is the calculator's business, mistakes included.
func expressions(text string) ([]string, bool) {
	var found []string
	for _, piece := range pieces(arithmeticSigns(text)) {
		if piece = strings.TrimSpace(piece); piece == "" {
			continue
		}
		if !isExpression(piece) {
			return nil, false
		}
		found = append(found, piece)
	}
	return found, len(found) > 0
}

// bareExpressions is expressions for a text without "compute" before it: a lone
// number, a date or a name is then no request.
func bareExpressions(text string) ([]string, bool) {
	found, ok := expressions(text)
	if !ok {
		return nil, false
	}
	for _, expression := range found {
		if !strings.ContainsAny(expression, "+*/%(") && !strings.Contains(strings.TrimLeft(expression, "-"), "-") {
			return nil, false
		}
		if looksLikeDate(expression) {
			return nil, false
		}
	}
	return found, true
}

// spoken rewrites are tried in this order.
var spoken = sync.OnceValue(func() []struct {
	re   *regexp.Regexp
	with string
} {
	const operand = `(\d+(?:\.\d+)?|\([^()]*\))`
	list := [][2]string{
		{`(?i)(?:the )?(?:square root|sqrt) of ` + operand, `sqrt($1)`},
		{`(?i)(?:the )?cube root of ` + operand, `($1)**(1/3)`},
		{`(?i)(?:the )?(?:factorial) of ` + operand, `factorial($1)`},
		{`(?i)(?:the )?absolute value of (-?\d+(?:\.\d+)?|\([^()]*\))`, `abs($1)`},
		{`(?i)` + operand + ` squared`, `$1**2`},
		{`(?i)` + operand + ` cubed`, `$1**3`},
		{`(?i) (?:raised )?to the power of `, `**`},
		{`(?i)(?:the )?sum of ` + operand + ` and ` + operand, `$1+$2`},
		{`(?i)(?:the )?product of ` + operand + ` and ` + operand, `$1*$2`},
		{`(?i)(?:the )?difference (?:of|between) ` + operand + ` and ` + operand, `$1-$2`},
		{`(?i)\s*(?:\bmultiplied by\b|\btimes\b)\s*`, `*`},
		{`(?i)\s*\bdivided by\b\s*`, `/`},
		{`(?i)\s*\bplus\b\s*`, `+`},
		{`(?i)\s*\bminus\b\s*`, `-`},
		{`(?i)\s*\bmod(?:ulo)?\b\s*`, ` % `},
		{`(?i)(\d)\s*x\s*(\d)`, `$1*$2`},
		{`(\d+(?:\.\d+)?)\s*% of `, `$1/100*`},
		{operand + `\s*的\s*` + operand + `\s*次[方幂]`, `$1**$2`},
		{operand + `\s*的\s*平方根`, `sqrt($1)`},
		{operand + `\s*的?\s*平方`, `$1**2`},
		{operand + `\s*的?\s*立方`, `$1**3`},
		{operand + `\s*的\s*阶乘`, `factorial($1)`},
		{operand + `\s*的\s*百分之\s*(\d+(?:\.\d+)?)`, `$1*$2/100`},
		{`百分之\s*(\d+(?:\.\d+)?)`, `$1/100`},
		{`根号\s*` + operand, `sqrt($1)`},
		{operand + `\s*[和与跟]\s*` + operand + `\s*(?:的|之)和`, `$1+$2`},
		{operand + `\s*[和与跟]\s*` + operand + `\s*(?:的|之|的乘)积`, `$1*$2`},
		{operand + `\s*[和与跟]\s*` + operand + `\s*(?:的|之)差`, `$1-$2`},
		{`\s*(?:乘以|乘上|乘)\s*`, `*`},
		{`\s*(?:除以)\s*`, `/`},
		{`\s*(?:加上|加)\s*`, `+`},
		{`\s*(?:减去|减)\s*`, `-`},
		{`√\s*` + operand, `sqrt($1)`},
	}
	rules := make([]struct {
		re   *regexp.Regexp
		with string
	}, len(list))
	for i, pair := range list {
		rules[i].re, rules[i].with = regexp.MustCompile(strings.ReplaceAll(pair[0], " ", `\s+`)), pair[1]
	}
	return rules
})

var signs = strings.NewReplacer("×", "*", "✕", "*", "·", "*", "÷", "/", "−", "-", "–", "-", "^", "**", "π", "pi", "，", ",", "、", ",", "　", " ")

// arithmeticSigns turns words and typographic signs into the calculator's.
func arithmeticSigns(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' && r != '，' { // full-width forms of ASCII
			return r - 0xFEE0
		}
		return r
	}, text)
	text = signs.Replace(text)
	for _, rule := range spoken() {
		text = rule.re.ReplaceAllString(text, rule.with)
	}
	return strings.TrimRight(strings.TrimSpace(text), "=?. ")
}

var (
	thousands = regexp.MustCompile(`\d{1,3}(?:,\d{3})+`)
	joined    = regexp.MustCompile(`(?i)\s+and\s+|\s*(?:以及|和|与|跟)\s*`)
)

// pieces splits at commas and "and" outside parentheses. A comma between groups
// of three digits belongs to the number.
func pieces(text string) []string {
	var found []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth > 0 {
				continue
			}
			if group := thousands.FindString(text[start:]); group != "" {
				if at := start + strings.Index(text[start:], group); at <= i && i < at+len(group) {
					text = text[:i] + text[i+1:]
					i--
					continue
				}
			}
			found = append(found, joined.Split(text[start:i], -1)...)
			start = i + 1
		}
	}
	return append(found, joined.Split(text[start:], -1)...)
}

var functions = map[string]bool{
	"sqrt": true, "cbrt": true, "sin": true, "cos": true, "tan": true, "asin": true, "acos": true, "atan": true, "atan2": true,
	"sinh": true, "cosh": true, "tanh": true, "log": true, "log2": true, "log10": true, "ln": true, "exp": true, "abs": true,
	"round": true, "floor": true, "ceil": true, "trunc": true, "min": true, "max": true, "pow": true, "sum": true, "avg": true,
	"mean": true, "factorial": true, "gcd": true, "lcm": true, "mod": true, "hypot": true, "degrees": true, "radians": true,
	"sign": true,
}

var constants = map[string]bool{"pi": true, "e": true, "tau": true}

// isExpression accepts what consists of numbers, operators, parentheses and the
// names of functions and constants, with at least one number or constant in it.
func isExpression(text string) bool {
	value := false
	for i := 0; i < len(text); {
		c := rune(text[i])
		switch {
		case unicode.IsDigit(c) && c < 0x80:
			value = true
			i = numberEnd(text, i)
		case c < 0x80 && unicode.IsLetter(c):
			end := i
			for end < len(text) && (text[end] == '_' || text[end] < 0x80 && (unicode.IsLetter(rune(text[end])) || unicode.IsDigit(rune(text[end])))) {
				end++
			}
			name := strings.ToLower(text[i:end])
			switch {
			case constants[name]:
				value = true
			case functions[name]:
			default:
				return false
			}
			i = end
		case strings.ContainsRune("+-*/%().,! \t", c):
			i++
		default:
			return false
		}
	}
	return value
}

// numberEnd finds where the number that starts at i ends, exponent included.
func numberEnd(text string, i int) int {
	digits := func() {
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
	}
	digits()
	if i < len(text) && text[i] == '.' {
		i++
		digits()
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		rest := strings.TrimLeft(text[i+1:], "+-")
		if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			i = len(text) - len(rest)
			digits()
		}
	}
	return i
}

var date = regexp.MustCompile(`^\d{4}[-/]\d{1,2}[-/]\d{1,2}$|^\d{1,2}/\d{1,2}/\d{2,4}$`)

func looksLikeDate(text string) bool { return date.MatchString(text) }

package demo

import (
	"regexp"
	"strings"
	"sync"
)

// spoken rewrites words into the calculator's signs, in this order.
var spoken = sync.OnceValue(func() []rewrite {
	const operand = `(\d+(?:\.\d+)?|\([^()]*\))`
	var all []rewrite
	for _, pair := range [][2]string{
		{`(?:the )?(?:square root|sqrt) of ` + operand, `sqrt($1)`},
		{`(?:the )?factorial of ` + operand, `factorial($1)`},
		{`(\d+)!`, `factorial($1)`},
		{operand + ` squared`, `$1**2`},
		{` to the power of `, `**`},
		{`(?:the )?sum of ` + operand + ` and ` + operand, `$1+$2`},
		{`add (-?[\d.]+) (?:and|to) (-?[\d.]+)`, `$1+$2`},
		{`multiply (-?[\d.]+) (?:by|and|with) (-?[\d.]+)`, `$1*$2`},
		{`divide (-?[\d.]+) by (-?[\d.]+)`, `$1/$2`},
		{`subtract (-?[\d.]+) from (-?[\d.]+)`, `$2-$1`},
		{`\s*(?:multiplied by|\btimes\b)\s*`, `*`},
		{`\s*divided by\s*`, `/`},
		{`\s*\bplus\b\s*`, `+`},
		{`\s*\bminus\b\s*`, `-`},
		{`(\d+(?:\.\d+)?)\s*% of `, `$1/100*`},
		{operand + `\s*的\s*` + operand + `\s*次[方幂]`, `$1**$2`},
		{operand + `\s*的\s*平方根`, `sqrt($1)`},
		{operand + `\s*的?\s*平方`, `$1**2`},
		{operand + `\s*的\s*阶乘`, `factorial($1)`},
		{operand + `\s*[和与]\s*` + operand + `\s*(?:的|之)和`, `$1+$2`},
		{operand + `\s*[和与]\s*` + operand + `\s*(?:的|之)积`, `$1*$2`},
		{`\s*(?:乘以|乘)\s*`, `*`},
		{`\s*除以\s*`, `/`},
		{`\s*(?:加上|加)\s*`, `+`},
		{`\s*(?:减去|减)\s*`, `-`},
	} {
		all = append(all, rewrite{regexp.MustCompile(`(?i)` + strings.ReplaceAll(pair[0], " ", `\s+`)), pair[1]})
	}
	return all
})

type rewrite struct {
	pattern *regexp.Regexp
	with    string
}

var (
	signs = strings.NewReplacer("×", "*", "·", "*", "÷", "/", "−", "-", "–", "-", "^", "**", "π", "pi", "，", ",",
		"、", ",")
	thousands  = regexp.MustCompile(`(\d),(\d{3})\b`)
	expression = regexp.MustCompile(
		`^(?:[\d\s.+*/%()eE-]|pi|sqrt|log|ln|exp|sin|cos|tan|abs|factorial|round|min|max)+$`)
	date = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}$`)
)

// expressions reads one or more arithmetic expressions: "12*(3+4)", "3 plus 4",
// "2的10次方", "1+1, 2+2 and 3+3". It only recognises them; the calculator
// evaluates.
func expressions(text string) ([]string, bool) {
	text = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' && r != '，' { // full-width forms of ASCII
			return r - '！' + '!'
		}
		return r
	}, text)
	text = signs.Replace(text)
	for _, rule := range spoken() {
		text = rule.pattern.ReplaceAllString(text, rule.with)
	}
	text = thousands.ReplaceAllString(text, "$1$2")
	var found []string
	for _, piece := range listJoint.Split(strings.TrimRight(strings.TrimSpace(text), "=?. "), -1) {
		piece = strings.TrimSpace(piece)
		if !expression.MatchString(piece) || !strings.ContainsAny(piece, "0123456789") {
			return nil, false
		}
		found = append(found, piece)
	}
	return found, len(found) > 0
}

// bare reports whether expressions are requests without "compute" before them: a
// lone number and a date are not.
func bare(found []string) bool {
	for _, text := range found {
		if date.MatchString(text) || !strings.ContainsAny(strings.TrimLeft(text, "-"), "+-*/%(") {
			return false
		}
	}
	return true
}

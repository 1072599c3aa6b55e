package redact

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// example draws a text that the pattern matches; unbounded repetitions stay short.
func example(t *testing.T, pattern string, random *rand.Rand) string {
	t.Helper()
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	draw(&out, tree, random)
	return out.String()
}

func draw(out *strings.Builder, tree *syntax.Regexp, random *rand.Rand) {
	times := func(low, high int) {
		if high < 0 {
			high = low + 3
		}
		for range low + random.IntN(high-low+1) {
			draw(out, tree.Sub[0], random)
		}
	}
	switch tree.Op {
	case syntax.OpLiteral:
		out.WriteString(string(tree.Rune))
	case syntax.OpCharClass:
		total := 0
		for i := 0; i < len(tree.Rune); i += 2 {
			total += int(tree.Rune[i+1]-tree.Rune[i]) + 1
		}
		n := random.IntN(total)
		for i := 0; i < len(tree.Rune); i += 2 {
			if size := int(tree.Rune[i+1]-tree.Rune[i]) + 1; n < size {
				out.WriteRune(tree.Rune[i] + rune(n))
				return
			} else {
				n -= size
			}
		}
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(tree.Min, tree.Max)
	case syntax.OpAlternate:
		draw(out, tree.Sub[random.IntN(len(tree.Sub))], random)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range tree.Sub {
			draw(out, sub, random)
		}
	}
}

// SH8: token formats of at least 40 services.
func TestEveryFormatIsFoundWhereverItStands(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	rules := map[string]bool{}
	for _, f := range formats() {
		rules[f.rule] = true
		for _, begin := range f.begin {
			random := rand.New(rand.NewPCG(uint64(len(f.rest)),
				uint64(begin[max(0, len(begin)-2)])<<8|uint64(begin[0])))
			missed, rounds := 0, 60
			for range rounds {
				token := begin + example(t, f.rest, random)
				if f.before != 0 {
					token = strings.Repeat("1", f.beforeMin) + token
				}
				for _, around := range []string{"%", "这是%吗", `{"a":"%"}`, "a %, b", "x=(%)", "\n%\n", `one\n%\ntwo`,
					"%3D%", "`%`"} {
					text := strings.Replace(around, "%", token, 1)
					if around == "%3D%" {
						text = "q%3D" + token
					}
					if r.String(text) == text {
						missed++
						if missed == 1 {
							t.Logf("%s: nothing found in %q", f.rule, text)
						}
					}
				}
			}
			if missed > rounds*9/100 {
				t.Errorf("%s: %q is missed in %d of %d texts", f.rule, begin, missed, rounds*9)
			}
		}
	}
	if len(rules) < 40 {
		t.Errorf("formats of %d services only", len(rules))
	}
}

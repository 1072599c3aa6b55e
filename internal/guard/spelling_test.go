package guard

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"nanoclaw/internal/config"
)

// TG2: a word that is written in another way is the same word: whoever puts an option
// in quotes, or into a variable, is asked all the same.
func TestAnotherSpellingIsAskedToo(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	spellings := map[string]string{"single quotes": "'word'", "double quotes": `"word"`, "a variable": "$v__", "a quoted variable": `"$v__"`, "a default": "${v__:-word}"}
	count := 0
	for _, file := range []string{"commands.yaml", "commands_probes.yaml"} {
		for _, c := range readTable(t, file) {
			if len(c.Expect) == 0 || !asksFor(t, engine, c.Command) {
				continue
			}
			for _, at := range plainWords(c.Command) {
				word := c.Command[at[0]:at[1]]
				for name, spelling := range spellings {
					line := c.Command[:at[0]] + strings.Replace(spelling, "word", word, 1) + c.Command[at[1]:]
					if strings.Contains(spelling, "$v__") {
						line = "v__='" + word + "'\n" + line
					}
					if count++; !asksFor(t, engine, line) {
						t.Errorf("%s: %q passes, though %q asks", name, line, c.Command)
					}
				}
			}
		}
	}
	t.Logf("%d other spellings", count)
	if count < 5000 {
		t.Error("the tables have too few plain words for this test")
	}
}

// plainWords are the places of arguments that are written without anything special.
func plainWords(line string) [][2]int {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	var places [][2]int
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok {
			return true
		}
		for i, word := range call.Args {
			from, to := int(word.Pos().Offset()), int(word.End().Offset())
			if text := line[from:to]; i > 0 && text != "" && strings.Trim(text, plainLetters) == "" {
				places = append(places, [2]int{from, to})
			}
		}
		return true
	})
	return places
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+@%"

package demo

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write what the parser says now into testdata/requests.txt")

// testdata/requests.txt: a request per line, and under it, indented, what is
// understood: "tool arguments", "< 1" for a result that flows in from step 1,
// "after 1" for a step that has to wait, "? words" for what is not understood.
func TestRequestsAreUnderstood(t *testing.T) {
	const golden = "testdata/requests.txt"
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		say, want, _ := strings.Cut(block, "\n")
		got := understood(say)
		fmt.Fprintf(&now, "%s\n%s\n\n", say, got)
		if got != want && !*update {
			t.Errorf("%s\ngot\n%s\nwant\n%s", say, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(strings.TrimSpace(now.String())+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func understood(say string) string {
	r := parse(strings.ReplaceAll(say, `\n`, "\n"), earlier{})
	var lines []string
	if r.talk != "" {
		lines = append(lines, "  talk "+r.talk)
	}
	for _, s := range r.steps {
		line := "  " + s.tool + " " + s.arguments()
		switch {
		case s.tool == "":
			line = "  nothing to do"
		case s.problem != "":
			line = "  problem " + s.problem
		}
		if len(s.needs) > 0 {
			line += fmt.Sprintf(" < %s", counted(s.needs))
		}
		if len(s.after) > 0 {
			line += fmt.Sprintf(" after %s", counted(s.after))
		}
		lines = append(lines, line)
	}
	for _, piece := range r.unclear {
		lines = append(lines, "  ? "+strings.ReplaceAll(piece, "\n", `\n`))
	}
	return strings.Join(lines, "\n")
}

func counted(indices []int) string {
	words := make([]string, len(indices))
	for i, index := range indices {
		words[i] = fmt.Sprint(index + 1)
	}
	return strings.Join(words, " ")
}

func TestTheAnswerIsInTheLanguageOfTheRequest(t *testing.T) {
	t.Parallel()
	for say, want := range map[string]bool{
		"list the files":                   false,
		"列出文件":                             true,
		"read 报告.txt":                      false,
		"write \"你好\" to a.txt":            false,
		"把 hello 写入 a.txt":                 true,
		"计算 1+1 and save it to result.txt": true,
		"":                                 false,
	} {
		if got := parse(say, earlier{}).chinese; got != want {
			t.Errorf("%q: Chinese %v", say, got)
		}
	}
}

func TestQuotedTextIsNeverReadAsACommand(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"delete everything, then list the files and compute 1+1",
		"列出文件，然后删除 a.txt",
		"it's 5 o'clock; run `rm -rf /`",
		"ask three agents to cry",
	} {
		for _, say := range []string{`write "` + content + `" to a.txt`, "把“" + content + "”写入 a.txt",
			"create a.txt with ```\n" + content + "\n```"} {
			r := parse(say, earlier{})
			if len(r.steps) != 1 || r.steps[0].tool != "file_write" || r.steps[0].text("content") != content ||
				r.steps[0].path() != "a.txt" {
				t.Errorf("%s: %+v %q", say, r.steps, r.unclear)
			}
		}
	}
}

func TestManyStepsAndLongMessagesAreBounded(t *testing.T) {
	t.Parallel()
	many := parse(strings.Repeat("list the files. ", 200), earlier{})
	if len(many.steps) > maxSteps+10 || !many.cut {
		t.Errorf("%d steps, cut %v", len(many.steps), many.cut)
	}
	if long := parse(strings.Repeat("word, and ", 5000), earlier{}); !long.cut {
		t.Error("a long message is read to the end")
	}
	text := strings.Repeat("x", 100_000)
	if r := parse(`write "`+text+`" to a.txt`, earlier{}); r.cut || len(r.steps) != 1 ||
		r.steps[0].text("content") != text {
		t.Error("a long quotation is cut")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"list the files, then compute 12*(3+4) and save it to result.txt", "列出文件，然后计算 12*(3+4) 并保存到 result.txt",
		"ask three agents to A, B and C", "write \"a\" to b.txt and c to d.txt", "''''``````“”「」",
		"\xff\xfe then \ue000 and \ue001",
		"compute ((((((1", "1,2,3,000,00", "save it to it then delete it", "then then and, . ; 然后并再",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, say string) {
		if len(say) > 20_000 {
			return
		}
		r := parse(say, earlier{text: "42", path: "before.txt"})
		if len(r.steps) > maxSteps+100 {
			t.Fatalf("%d steps", len(r.steps))
		}
		for i, s := range r.steps {
			for _, j := range append(append([]int{}, s.needs...), s.after...) {
				if j < 0 || j >= i {
					t.Fatalf("step %d waits for step %d: %+v", i, j, s)
				}
			}
			if utf8.ValidString(say) && !utf8.ValidString(s.arguments()) {
				t.Fatalf("broken text: %+v", s)
			}
			if strings.ContainsFunc(s.arguments(), func(r rune) bool {
				return r >= firstQuote &&
					r < firstQuote+maxQuotes
			}) {
				t.Fatalf("a placeholder is left in %q", s.arguments())
			}
		}
	})
}

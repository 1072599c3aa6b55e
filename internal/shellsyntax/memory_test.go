package shellsyntax

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
)

// tableLines are commands of every kind: every fourth of the guard's open tables.
func tableLines(t testing.TB) []string {
	t.Helper()
	var lines []string
	for _, name := range []string{"commands", "commands_probes"} {
		data, err := os.ReadFile("../guard/testdata/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct{ Command string }
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(cases); i += 4 {
			lines = append(lines, cases[i].Command)
		}
	}
	if len(lines) < 200 {
		t.Fatalf("only %d commands", len(lines))
	}
	return lines
}

var pointers = regexp.MustCompile(`Input:0x[0-9a-f]+`)

// toldBy is all that an analysis says.
func toldBy(a *Analysis) string {
	var text strings.Builder
	for _, c := range a.Commands {
		fmt.Fprintf(&text, "%+v", *c)
		if c.Input != nil {
			fmt.Fprintf(&text, " < %+v", *c.Input)
		}
		text.WriteString("\n")
	}
	for _, danger := range a.Dangers {
		fmt.Fprintln(&text, danger.Rule.ID, danger.Evidence, danger.Guess)
	}
	return fmt.Sprint(pointers.ReplaceAllString(text.String(), "Input:"), a.Oddities, a.Overflow, a.Refused, a.Err)
}

// TG2: what an analysis says does not depend on those before it, whose memory it has,
// nor on those beside it. This test is worth more under the race detector.
func TestAnalysesThatShareMemorySayTheSame(t *testing.T) {
	t.Parallel()
	lines := tableLines(t)
	lines = append(lines, strings.Join(lines[:60], "\n"), strings.Repeat("a=$(b) c | ", 900)+"d", strings.Repeat("x{1..9} ", 200))
	want := make([]string, len(lines))
	for i, line := range lines {
		want[i] = toldBy(newAnalyzer().analyze(line))
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			var kept [3]*Analysis // several are alive at once
			for round := range lines {
				i := (round*(worker+3) + worker) % len(lines)
				a := Analyze(lines[i])
				if got := toldBy(a); got != want[i] {
					t.Errorf("%q in used memory:\n%s\nwant\n%s", lines[i], got, want[i])
				}
				if old := kept[round%3]; old != nil {
					old.Release()
				}
				kept[round%3] = a
			}
		})
	}
	group.Wait()
}

// What is released is gone: nothing of it is left to be mistaken for another line's.
func TestReleasedAnalysisIsEmpty(t *testing.T) {
	t.Parallel()
	a := newAnalyzer().analyze("rm -rf / | tee out")
	dangers := len(a.Dangers)
	a.Release()
	a.Release()
	if a.Commands != nil || dangers == 0 || a.Dangers[0].Evidence != "rm -rf /" {
		t.Errorf("after Release: %d commands, %+v", len(a.Commands), a.Dangers)
	}
}

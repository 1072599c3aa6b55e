package undo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestADiffShowsTheChangedLinesWithContext(t *testing.T) {
	t.Parallel()
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"
	after := strings.Replace(strings.Replace(before, "5\n", "five\nand\n", 1), "20\n", "20", 1)
	want := `--- a/f
+++ b/f
@@ -2,7 +2,8 @@
 2
 3
 4
-5
+five
+and
 6
 7
 8
@@ -17,4 +18,4 @@
 17
 18
 19
-20
+20
\ No newline at end of file
`
	if got := Unified("a/f", "b/f", []byte(before), []byte(after)); got != want {
		t.Errorf("the diff is\n%s", got)
	}
	if got := Unified("/dev/null", "b/f", nil, []byte("a\n")); got != "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n" {
		t.Errorf("a new file is %q", got)
	}
	if got := Unified("a", "b", []byte("same\n"), []byte("same\n")); got != "" {
		t.Errorf("no change is %q", got)
	}
}

// CH11: a diff leads from one text to the other, as patch understands it.
func TestADiffIsAPatch(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n, alphabet int) string {
		var out strings.Builder
		for range n {
			fmt.Fprintln(&out, random.IntN(alphabet))
		}
		return out.String()
	}
	for i := range 300 {
		alphabet := 1 + random.IntN(5)
		before, after := text(random.IntN(30), alphabet), text(random.IntN(30), alphabet)
		if got := applied(before, Unified("a", "b", []byte(before), []byte(after))); got != after {
			t.Fatalf("case %d: %q became %q, want %q", i, before, got, after)
		}
	}
	before, after := text(3000, 1000), text(3000, 1000)
	long := Unified("a", "b", []byte(before), []byte(after))
	if applied(before, long) != after {
		t.Error("a long diff does not lead to the other text")
	}
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("patch is not installed")
	}
	file := filepath.Join(t.TempDir(), "f")
	before, after = text(200, 50), text(200, 50)
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("patch", file)
	command.Stdin = strings.NewReader(Unified("f", "f", []byte(before), []byte(after)))
	out, err := command.CombinedOutput()
	if got, _ := os.ReadFile(file); err != nil || string(got) != after {
		t.Errorf("patch: %v, %s", err, out)
	}
}

// applied is what a unified diff makes of a text; its hunks must be in order.
func applied(before, diff string) string {
	if diff == "" {
		return before
	}
	source := splitLines(before)
	var out strings.Builder
	at := 0
	for i, line := range splitLines(diff) {
		switch {
		case i < 2:
		case strings.HasPrefix(line, "@@ "):
			var start, count int
			var rest string
			if n, _ := fmt.Sscanf(line, "@@ -%d,%d +%s", &start, &count, &rest); n < 2 {
				fmt.Sscanf(line, "@@ -%d +%s", &start, &rest)
				count = 1
			}
			if count > 0 {
				start--
			}
			for ; at < start; at++ {
				out.WriteString(source[at])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if at >= len(source) || source[at] != line[1:] {
				return "the line " + line + " is not in the source"
			}
			if at++; line[0] == ' ' {
				out.WriteString(line[1:])
			}
		}
	}
	for ; at < len(source); at++ {
		out.WriteString(source[at])
	}
	return out.String()
}

// splitLines keeps the line breaks.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

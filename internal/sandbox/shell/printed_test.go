package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// CH2: what a command prints is passed on while it runs.
func TestOutputIsPassedOnWhileTheCommandRuns(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		project := t.TempDir()
		s := newSession(t, policy, func(settings *Settings) { settings.Project = project })
		run(t, s, "mkfifo gate")
		heard := make(chan string, 100)
		ended := make(chan Result, 1)
		go func() {
			result, err := s.Run(
				t.Context(),
				Command{Line: "echo building; echo hurry >&2; printf half; cat gate; echo done",
					Timeout: 20 * time.Second, Printed: func(lines string) { heard <- lines }},
			)
			if err != nil {
				t.Error(err)
			}
			ended <- result
		}()
		for lines := range heard {
			if strings.Contains(lines, "building\n") && strings.Contains(lines, "hurry\n") {
				if strings.Contains(lines, "half") {
					t.Errorf("a line that had not ended was passed on: %q", lines)
				}
				break
			}
		}
		if err := os.WriteFile(filepath.Join(project, "gate"), []byte(" a line\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if result := <-ended; result.Stdout != "building\nhalf a line\ndone\n" || result.Stderr != "hurry\n" {
			t.Errorf("got %+v", result)
		}
	})
}

func TestOnlyTheLastWholeLinesArePassedOn(t *testing.T) {
	var got []string
	p := printed{tell: func(lines string) { got = append(got, lines) }}
	p.write(outDescriptor, []byte("no end"))
	p.report()
	p.write(errDescriptor, []byte("not mixed in\n"))
	p.write(outDescriptor, []byte(" yet\n"+strings.Repeat("a line of the build\n", 2000)+"half"))
	p.report()
	if len(got) != 1 || len(got[0]) > printedLimit || !strings.HasPrefix(got[0], "a line of") ||
		!strings.HasSuffix(got[0], "build\n") {
		t.Errorf("got %d reports, the last of them %.60q", len(got), got)
	}
	long := printed{tell: p.tell}
	long.write(outDescriptor, []byte(strings.Repeat("x", 9*printedLimit)+"\nshort\n"))
	long.report()
	if got[len(got)-1] != "short\n" {
		t.Errorf("of a line that is too long a part was passed on: %.60q", got[len(got)-1])
	}
}

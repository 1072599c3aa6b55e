package shell

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

func newSession(t testing.TB, policy sandbox.Policy, change func(*Settings)) *Session {
	t.Helper()
	settings := Settings{Policy: policy, Project: t.TempDir(), OutputLimit: 4096}
	if change != nil {
		change(&settings)
	}
	s := NewSession(settings)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func run(t testing.TB, s *Session, line string) Result {
	t.Helper()
	result, err := s.Run(t.Context(), Command{Line: line, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return result
}

// SH6: commands that hang a naive session return at once, with it alive.
func TestCommandsThatWouldHangReturnAtOnce(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		for _, test := range []struct {
			line   string
			code   int
			stdout string
		}{
			{"printf foo", 0, "foo"},
			{"cat", 0, ""},
			{"read x", 1, ""},
			{`echo "unbalanced`, 2, ""},
			{"exit 3", 3, ""},
			{"python3 -c 'input()'", 1, ""},
			{"cat <<EOF\nnever closed", 2, ""},
			{"sleep 100 &", 0, ""},
		} {
			run(t, s, "cd /tmp; kept=; unset -f f; cd - >/dev/null; mkdir -p deep; [ -d deep ] && cd deep; kept=yes; f() { echo function; }")
			result := run(t, s, test.line)
			if result.ExitCode != test.code || result.Stdout != test.stdout || result.TimedOut {
				t.Errorf("%s: got %+v, want status %d and %q", test.line, result, test.code, test.stdout)
			}
			after := run(t, s, `echo "alive $kept"; f; basename "$PWD"`)
			if after.Stdout != "alive yes\nfunction\ndeep\n" || after.ExitCode != 0 {
				t.Errorf("behind %s the session answers %+v", test.line, after)
			}
		}
	})
}

// SH1: what a command leaves is there for the next.
func TestASessionKeepsItsState(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		run(t, s, "mkdir a && cd a && export COLOUR=green && greet() { echo hello $1; } && alias say='echo said'")
		result := run(t, s, "greet you; say it; echo $COLOUR; history | grep -c COLOUR; false")
		if result.Stdout != "hello you\nsaid it\ngreen\n2\n" || result.ExitCode != 1 || !strings.HasSuffix(result.Dir, "/a") {
			t.Errorf("got %+v", result)
		}
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if result := run(t, s, "echo [$COLOUR]"); result.Stdout != "[]\n" || strings.HasSuffix(result.Dir, "/a") {
			t.Errorf("after a restart: %+v", result)
		}
	})
}

// SH5, SH7: a timeout keeps partial output and the session answers again.
func TestATimeoutKeepsPartialOutput(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, func(settings *Settings) { settings.Startup = []string{"STARTED=1"} })
		result, err := s.Run(t.Context(), Command{Line: "echo before; sleep 1000; echo after", Timeout: 300 * time.Millisecond})
		if err != nil || !result.TimedOut || result.Stdout != "before\n" || !result.Restarted {
			t.Fatalf("got %+v, %v", result, err)
		}
		if result := run(t, s, "echo $STARTED"); result.Stdout != "1\n" {
			t.Errorf("after a timeout: %+v", result)
		}
	})
}

// SH3: startup commands run in every new shell, after a restart and a timeout too;
// shutdown commands before its end; a session without a project has a directory of
// its own that is gone afterwards.
func TestStartupAndShutdownCommandsRun(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		project := t.TempDir()
		s := newSession(t, policy, func(settings *Settings) {
			settings.Project = project
			settings.Startup, settings.Shutdown = []string{"echo up >> log", "READY=1"}, []string{"echo down >> log", "exit 3", "echo never >> log"}
		})
		if got := run(t, s, "echo $READY"); got.Stdout != "1\n" {
			t.Errorf("%+v", got)
		}
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Run(t.Context(), Command{Line: "sleep 1000", Timeout: 200 * time.Millisecond}); err != nil || !got.TimedOut {
			t.Fatalf("%+v, %v", got, err)
		}
		if got := run(t, s, "echo $READY"); got.Stdout != "1\n" {
			t.Errorf("after a timeout: %+v", got)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(project + "/log")
		if want := "up\ndown\nup\nup\ndown\n"; err != nil || string(log) != want {
			t.Errorf("the log is %q, %v; want %q", log, err, want)
		}

		alone := newSession(t, policy, func(settings *Settings) { settings.Project = "" })
		if got := run(t, alone, "echo x > file && ls"); got.Stdout != "file\n" {
			t.Errorf("%+v", got)
		}
		if _, err := os.Stat(alone.temp + "/file"); err != nil {
			t.Error(err)
		}
		if err := alone.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(alone.temp); !os.IsNotExist(err) {
			t.Errorf("the temporary directory is still there: %v", err)
		}
	})
}

// SH5: of long output head and tail are kept.
func TestOfLongOutputHeadAndTailAreKept(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		result := run(t, s, "echo first; seq 100000; echo last")
		if !strings.HasPrefix(result.Stdout, "first\n1\n") || !strings.HasSuffix(result.Stdout, "100000\nlast\n") || result.StdoutDropped < 500000 {
			t.Errorf("%d bytes dropped of %.200q", result.StdoutDropped, result.Stdout)
		}
	})
}

// SH1: a command that was escaped once too often is mended.
func TestALineEscapedOnceTooOftenIsMended(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		if result := run(t, s, `for i in 1 2; do\necho $i\ndone`); result.Stdout != "1\n2\n" || !result.Mended {
			t.Errorf("got %+v", result)
		}
		if result := run(t, s, `printf 'a\nb'`); result.Stdout != "a\nb" || result.Mended {
			t.Errorf("got %+v", result)
		}
	})
}

func BenchmarkCommand(b *testing.B) {
	for name, policy := range sandboxtest.Policies(b) {
		b.Run(name, func(b *testing.B) {
			s := newSession(b, policy, nil)
			run(b, s, "true")
			sandboxtest.ReportMedian(b, func() { run(b, s, "true") }, nil)
		})
	}
}

func BenchmarkSessionStart(b *testing.B) {
	for name, policy := range sandboxtest.Policies(b) {
		b.Run(name, func(b *testing.B) {
			var s *Session
			end := func() {
				if s != nil {
					if err := s.Close(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				s = NewSession(Settings{Policy: policy, Project: b.TempDir(), OutputLimit: 4096, Limits: sandbox.Limits{Memory: 1 << 30, Processes: 100, CPUs: 2}})
			}
			sandboxtest.ReportMedian(b, func() { run(b, s, "true") }, end)
			end()
		})
	}
}

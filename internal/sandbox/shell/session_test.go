package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

func newSession(t testing.TB, policy sandbox.Policy, change func(*Settings)) *Session {
	t.Helper()
	settings := Settings{Policy: policy, Project: t.TempDir(), OutputLimit: 4096, StartupTimeout: 20 * time.Second,
		ShutdownTimeout: 5 * time.Second}
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
			run(t, s, "cd /tmp; kept=; unset -f f; cd - >/dev/null; mkdir -p deep; [ -d deep ] && cd deep; kept=yes; "+
				"f() { echo function; }")
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
		if result.Stdout != "hello you\nsaid it\ngreen\n2\n" || result.ExitCode != 1 || !strings.HasSuffix(result.Dir,
			"/a") {
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
		result, err := s.Run(t.Context(), Command{Line: "echo before; sleep 1000; echo after",
			Timeout: 300 * time.Millisecond})
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
			settings.Startup, settings.Shutdown = []string{"echo up >> log", "READY=1"}, []string{"echo down >> log",
				"exit 3", "echo never >> log"}
		})
		if got := run(t, s, "echo $READY"); got.Stdout != "1\n" {
			t.Errorf("%+v", got)
		}
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Run(t.Context(), Command{Line: "sleep 1000", Timeout: 200 * time.Millisecond}); err != nil ||
			!got.TimedOut {
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

// Issue 10, point 11: a startup or shutdown command that fails is told to the model
// and to the log; one that leaves no shell fails the call, with a code.
func TestFailingStartupAndShutdownCommandsAreReported(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		var reported []string
		failed := func(kind, line, why string) { reported = append(reported, kind+" "+line+": "+why) }
		s := newSession(t, policy, func(settings *Settings) {
			settings.Startup, settings.Shutdown, settings.Failed = []string{"echo broken >&2; false", "READY=1"},
				[]string{"exit 3"}, failed
		})
		first, second := run(t, s, "echo $READY"), run(t, s, "true")
		if first.Stdout != "1\n" || !strings.Contains(first.Stderr,
			`"echo broken >&2; false" (shell.startup_commands) failed with status 1: broken`) || second.Stderr != "" {
			t.Errorf("%+v, then %+v", first, second)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(reported,
			"; "); got != "startup echo broken >&2; false: failed with status 1: broken; shutdown exit 3: "+
			"failed with status 3" {
			t.Error(got)
		}
		for line, why := range map[string]string{"exit 0": "ended the shell",
			"sleep 1000": "did not end within 200ms"} {
			s := newSession(t, policy, func(settings *Settings) {
				settings.Startup = []string{line}
				if line != "exit 0" {
					settings.StartupTimeout = 200 * time.Millisecond
				}
			})
			_, err := s.Run(t.Context(), Command{Line: "true", Timeout: time.Minute})
			var startup *StartupError
			if !errors.As(err, &startup) || startup.ErrorCode() != "unavailable" || !strings.Contains(err.Error(),
				why) {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}

// Issue 10, point 10: a directory that cannot be used is an error, and the command
// does not run.
func TestAMissingDirectoryIsAnError(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		run(t, s, "touch file")
		for _, dir := range []string{"missing", "file", "/missing"} {
			_, err := s.Run(t.Context(), Command{Line: "touch ran", Dir: dir, Timeout: 20 * time.Second})
			var wrong *DirectoryError
			if !errors.As(err, &wrong) || wrong.ErrorCode() != "invalid_arguments" || !strings.Contains(err.Error(),
				dir) {
				t.Errorf("%s: %v", dir, err)
			}
		}
		if got := run(t, s, "ls"); got.Stdout != "file\n" {
			t.Errorf("%+v", got)
		}
	})
}

// Issue 10, point 10: the limits that a command met are named.
func TestTheLimitsThatACommandMetAreNamed(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, func(settings *Settings) { settings.Limits.FileSize = 64 << 10 })
		for line, limit := range map[string]string{"head -c 200K /dev/zero > big": "file_size", "seq 100000": "output",
			"true": ""} {
			if got := run(t, s, line); strings.Join(got.Limits, " ") != limit {
				t.Errorf("%s: %v", line, got.Limits)
			}
		}
		got, err := s.Run(t.Context(), Command{Line: "sleep 1000", Timeout: 300 * time.Millisecond})
		if err != nil || strings.Join(got.Limits, " ") != "time" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// Issue 10, point 9: what belongs to a key ends with it, and only that.
func TestEndingAKeyEndsWhatRunsInItsSessions(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		all := NewSessions()
		defer func() {
			if err := all.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		words := map[string]string{}
		for _, key := range []string{"gone", "kept"} {
			words[key] = fmt.Sprintf("nc%s%s%d", key, policy.Name(), os.Getpid())
			err := all.Use(t.Context(), key, "", time.Hour, func() Settings {
				return Settings{Policy: policy, Project: t.TempDir(), OutputLimit: 4096}
			}, func(s *Session) error {
				_, err := s.Run(t.Context(), Command{Line: fmt.Sprintf(escapees, words[key]),
					Timeout: 20 * time.Second})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := all.End(t.Context(), func(key string) bool { return key == "gone" }); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, words["gone"], 5*time.Second)
		if len(withWord(t, words["kept"])) < 4 || all.Count() != 1 || !all.Has("kept") || all.Has("gone") {
			t.Error("another session was ended too")
		}
	})
}

// Issue 10, point 13: HOME lasts from session to session, programs of the system's
// directories are found, and Git knows who commits.
func TestTheHomeOfAProjectLasts(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		home := t.TempDir()
		if err := os.WriteFile(home+"/.gitconfig", []byte("[user]\n\tname = A\n\temail = a@example.org\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		first := newSession(t, policy, func(settings *Settings) { settings.Home = home })
		if got := run(t, first, "cd && echo kept > file && test -O ~ && echo $HOME"); got.ExitCode != 0 {
			t.Errorf("%+v", got)
		}
		second := newSession(t, policy, func(settings *Settings) { settings.Home = home })
		if got := run(t, second, "cat ~/file"); got.Stdout != "kept\n" {
			t.Errorf("%+v", got)
		}
		if policy.Name() == "docker" {
			return // the image has no Git
		}
		if got := run(t, second,
			"git init -q . && touch f && git add f && git commit -qm first && git log "+
				"--format='%an %ae'"); got.Stdout != "A a@example.org\n" {
			t.Errorf("%+v", got)
		}
	})
}

// SH5: of long output head and tail are kept.
func TestOfLongOutputHeadAndTailAreKept(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		result := run(t, s, "echo first; seq 100000; echo last")
		if !strings.HasPrefix(result.Stdout, "first\n1\n") || !strings.HasSuffix(result.Stdout, "100000\nlast\n") ||
			result.StdoutDropped < 500000 {
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
				s = NewSession(Settings{Policy: policy, Project: b.TempDir(), OutputLimit: 4096,
					Limits: sandbox.Limits{Memory: 1 << 30, Processes: 100, CPUs: 2}})
			}
			sandboxtest.ReportMedian(b, func() { run(b, s, "true") }, end)
			end()
		})
	}
}

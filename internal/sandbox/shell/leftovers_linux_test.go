package shell

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// escapees starts processes that try to survive: in new sessions, orphaned, deaf
// to SIGTERM. %s is a word that only they have in their command line.
const escapees = `
setsid bash -c 'exec -a %[1]s sleep 1000' &
(setsid bash -c 'trap "" TERM HUP; (exec -a %[1]s sleep 1001) & (exec -a %[1]s sleep 1002) & wait' &)
nohup bash -c 'exec -a %[1]s sleep 1003' >/dev/null 2>&1 &
until [ "$(grep -la "^%[1]s" /proc/[0-9]*/cmdline 2>/dev/null | wc -l)" -ge 4 ]; do sleep 0.02; done
`

// withWord are the processes of the machine whose command line has a word.
func withWord(t *testing.T, word string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && strings.HasPrefix(string(line), word) {
			found = append(found, file+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// nothingLeft waits for the last of the processes to go.
func nothingLeft(t *testing.T, word string, within time.Duration) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = withWord(t, word); len(left) == 0 {
			return
		}
	}
	t.Errorf("still there: %v", left)
}

// SH5: a command that outlives its time limit leaves no process behind.
func TestATimeoutLeavesNoProcessBehind(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		word := fmt.Sprintf("nctimeout%s%d", policy.Name(), os.Getpid())
		result, err := s.Run(t.Context(), Command{Line: fmt.Sprintf(escapees, word) + "echo up; sleep 1000",
			Timeout: 4 * time.Second})
		if err != nil || !result.TimedOut || !strings.Contains(result.Stdout, "up") {
			t.Fatalf("%+v, %v", result, err)
		}
		nothingLeft(t, word, 2*time.Second)
	})
}

// SH5: neither does one that is cancelled, nor the end of the session.
func TestCancellingAndClosingLeaveNoProcessBehind(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, nil)
		word := fmt.Sprintf("nccancel%s%d", policy.Name(), os.Getpid())
		run(t, s, fmt.Sprintf(escapees, word))
		if len(withWord(t, word)) < 4 {
			t.Fatal("the processes do not run, so their end shows nothing")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		result, err := s.Run(ctx, Command{Line: "sleep 1000", Timeout: time.Minute})
		if err != nil || !result.Cancelled {
			t.Fatalf("%+v, %v", result, err)
		}
		if result.Duration > 5*time.Second {
			t.Errorf("cancelling took %s", result.Duration)
		}
		nothingLeft(t, word, 10*time.Second)

		run(t, s, fmt.Sprintf(escapees, word))
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, word, 2*time.Second)
	})
}

// SH5: kill -9 of the server itself leaves nothing; containers go when the next
// server starts.
func TestKillingTheServerLeavesNoProcessBehind(t *testing.T) {
	if policy := os.Getenv("NANOCLAW_TEST_SERVER"); policy != "" {
		serveUntilKilled(t, policy, os.Getenv("NANOCLAW_TEST_WORD"))
		return
	}
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		word := fmt.Sprintf("ncserver%s%d", policy.Name(), os.Getpid())
		server := exec.Command(os.Args[0], "-test.run=^"+"TestKillingTheServerLeavesNoProcessBehind"+"$", "-test.v")
		server.Env = append(os.Environ(), "NANOCLAW_TEST_SERVER="+policy.Name(), "NANOCLAW_TEST_WORD="+word)
		out, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		up := false
		for !up && lines.Scan() {
			up = strings.Contains(lines.Text(), "SERVER UP")
		}
		running := withWord(t, word)
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = server.Wait() // it was killed
		if !up || len(running) < 4 {
			t.Fatalf("the processes did not run, so their end shows nothing: %v", running)
		}
		if policy.Name() == "docker" {
			if _, err := sandbox.Open(t.Context(), sandbox.Settings{Policy: "docker",
				Image: sandboxtest.Image(t)}); err != nil {
				t.Fatal(err)
			}
		}
		nothingLeft(t, word, 5*time.Second)
	})
}

func serveUntilKilled(t *testing.T, name, word string) {
	policy := sandboxtest.Policies(t)[name]
	s := NewSession(Settings{Policy: policy, Project: t.TempDir(), OutputLimit: 1000})
	run(t, s, fmt.Sprintf(escapees, word))
	fmt.Println("SERVER UP")
	run(t, s, "sleep 15")
	t.Fatal("the server was not killed")
}

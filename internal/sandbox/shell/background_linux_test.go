package shell

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// SH5: what runs in the background is stopped when the project is over its quota;
// a session in which nothing runs is not looked at.
func TestTheBackgroundIsStoppedOverTheQuota(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		var looked atomic.Int64
		s := newSession(t, policy, func(settings *Settings) {
			settings.Limits = sandbox.Limits{Memory: 256 << 20, Processes: 50}
			settings.OverQuota = func(context.Context) error {
				looked.Add(1)
				if info, err := os.Stat(settings.Project + "/big"); err == nil && info.Size() > 1<<20 {
					return errors.New("the project is over its quota")
				}
				return nil
			}
		})
		run(t, s, "true")
		if s.process.Load().Processes < 0 {
			t.Skipf("NOT TESTED under %s: it has no control groups of the server's own", policy.Name())
		}
		process := s.process
		run(t, s, "(while sleep 0.05; do head -c 200K /dev/zero >> big; done) & disown")
		<-process.Done() // the watch ends it
		result := run(t, s, "jobs; echo again")
		if !strings.Contains(result.Stderr, "over its quota") || result.Stdout != "again\n" {
			t.Errorf("the next command answers %+v", result)
		}
		if looked.Load() == 0 {
			t.Error("nobody looked")
		}
	})
}

// SH9: the limits that a command ran into are told.
func TestTheLimitsThatACommandMetAreTold(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		s := newSession(t, policy, func(settings *Settings) {
			settings.Limits = sandbox.Limits{Memory: 64 << 20, Processes: 20, FileSize: 1 << 20}
		})
		if result := run(t, s, "true"); len(result.Limits) != 0 {
			t.Errorf("true met %v", result.Limits)
		}
		if result := run(t, s, "head -c 2M /dev/zero > big"); !slices.Equal(result.Limits, []string{"file_size"}) {
			t.Errorf("a large file met %v, status %d", result.Limits, result.ExitCode)
		}
		if s.process.Load().Processes < 0 {
			t.Skipf("NOT TESTED under %s: it has no control groups of the server's own", policy.Name())
		}
		if result := run(t, s, "python3 -c 'x = bytearray(200 << 20)'"); !slices.Equal(result.Limits,
			[]string{"memory"}) {
			t.Errorf("much memory met %v, status %d", result.Limits, result.ExitCode)
		}
		if result := run(t, s,
			"python3 -c '\nimport os, time\nfor i in range(40):\n    if os.fork() == 0: "+
				"time.sleep(1); os._exit(0)'"); !slices.Contains(result.Limits, "processes") {
			t.Errorf("many processes met %v: %+v", result.Limits, result)
		}
	})
}

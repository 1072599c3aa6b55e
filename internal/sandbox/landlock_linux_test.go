package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// SH2: what each version of Landlock can restrict is restricted, no more.
func TestLandlockRulesFollowTheVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]struct {
		size             uintptr
		truncate, device bool
		net, scoped      uint64
	}{
		2: {8, false, false, 0, 0},
		3: {8, true, false, 0, 0},
		4: {16, true, false, 3, 0},
		5: {16, true, true, 3, 0},
		6: {24, true, true, 3, 3},
		9: {24, true, true, 3, 3},
	} {
		rules, size := landlockRules(version, false)
		if size != want.size || (rules.fs&unix.LANDLOCK_ACCESS_FS_TRUNCATE != 0) != want.truncate ||
			(rules.fs&unix.LANDLOCK_ACCESS_FS_IOCTL_DEV != 0) != want.device ||
			rules.net != want.net || rules.scoped != want.scoped {
			t.Errorf("version %d: %+v, %d bytes", version, rules, size)
		}
		if rules, _ := landlockRules(version, true); rules.net != 0 {
			t.Errorf("version %d: TCP is restricted where it is wanted", version)
		}
	}
	for version, want := range map[int]string{0: "has no Landlock", 1: "too old", 2: "second layer",
		6: "signals do not leave"} {
		if got := landlockFact(version); !strings.Contains(got, want) {
			t.Errorf("version %d: %s", version, got)
		}
	}
}

// beyondMounts are things that only Landlock forbids: the namespaces and the
// filter let them through.
const beyondMounts = `echo x 2>/dev/null >/proc/self/comm && echo wrote; kill -0 1 2>/dev/null && echo signalled
mkdir a b; echo 1 > a/f && mv a/f b/f && echo 2 > /tmp/f && echo 3 > /dev/shm/f && echo 4 > /dev/null && cat b/f /tmp/f /dev/shm/f && ls / >/dev/null && (exec 9<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -m1 -o 'Permission denied'`

// SH2: the second layer holds where the kernel has one, in every version that
// it can be asked for, and ordinary work is not in its way; without one the policy
// still works and says so.
func TestLandlockIsASecondLayer(t *testing.T) {
	t.Parallel()
	opened, err := Open(t.Context(), Settings{Policy: "sandbox"})
	var missing *UnavailableError
	if errors.As(err, &missing) {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := opened.(*bubblewrap)
	has := landlockVersion()
	if facts := strings.Join(b.Facts(), "\n"); !strings.Contains(facts, landlockFact(has)) {
		t.Errorf("the facts are %s", facts)
	}
	for version := range max(has, 1) + 1 {
		if version > has {
			t.Logf("NOT TESTED: this kernel has no Landlock, so that only its absence is shown")
			continue
		}
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			policy := &bubblewrap{program: b.program, filter: b.filter, landlock: version}
			out := runBash(t, policy, Spec{Project: t.TempDir(), NoTCP: true}, beyondMounts)
			want := "1\n2\n3\n"
			if version < landlockOldest {
				want = "wrote\n" + want
			}
			if version < 6 {
				want = strings.Replace(want, "1\n", "signalled\n1\n", 1)
			}
			if version >= 4 {
				want += "Permission denied\n"
			}
			if out != want {
				t.Errorf("it prints %q, want %q", out, want)
			}
			if out := runBash(t, policy, Spec{},
				"(exec 9<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -m1 -o "+
					"'Connection refused'"); out != "Connection refused\n" {
				t.Errorf("a session cannot use its own loopback: %q", out)
			}
		})
	}
}

func runBash(t *testing.T, policy Policy, spec Spec, script string) string {
	t.Helper()
	spec.Argv = []string{"/bin/bash", "-c", script}
	spec.Pipes = []Direction{Null, Out, Out}
	process, err := policy.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	var out, errs bytes.Buffer
	if err := Collect(process, map[int]Sink{1: &out, 2: &errs}, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if errs.Len() > 0 {
		t.Logf("stderr: %s", errs.String())
	}
	return out.String()
}

// SH2: a sandbox whose second layer cannot be put in force does not start its command.
func TestAHelperThatFailsStartsNothing(t *testing.T) {
	t.Parallel()
	for _, orders := range [][]string{{"landlock=x", "--", "/bin/true"}, {"handover=99", "--", "/bin/true"},
		{"unknown=1", "--", "/bin/true"}, {"connect=/nowhere"}} {
		if err := inside(orders); err == nil {
			t.Errorf("%v: no error", orders)
		}
	}
}

// Other processes of the server's user cannot look into it.
func TestTheServersMemoryIsItsOwn(t *testing.T) {
	if os.Getenv("NANOCLAW_TEST_GUARDED") == "" {
		t.Setenv("NANOCLAW_TEST_GUARDED", "yes")
		out := runBash(t, host{}, Spec{Dir: "/tmp", Env: map[string]string{"NANOCLAW_TEST_GUARDED": "yes"}},
			os.Args[0]+" -test.run='^TestTheServersMemoryIsItsOwn$' -test.v")
		if !strings.Contains(out, "--- PASS") {
			t.Error(out)
		}
		return
	}
	if err := GuardMemory(); err != nil {
		t.Fatal(err)
	}
	if value, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || value != 0 {
		t.Errorf("dumpable is %d, %v", value, err)
	}
	if out := runBash(t, host{}, Spec{Dir: "/tmp"}, "echo works"); out != "works\n" {
		t.Errorf("a process that starts prints %q", out)
	}
}

// SH5: the helper has room also under the smallest limits that can be configured.
func TestTheSmallestLimitsLetACommandStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sandbox", "host"} {
		policy, err := Open(t.Context(), Settings{Policy: name, Environment: "development"})
		var missing *UnavailableError
		if errors.As(err, &missing) {
			t.Logf("NOT TESTED: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if out := runBash(t, policy, Spec{Project: t.TempDir(), Limits: Limits{Memory: 16 << 20, Processes: 4}},
				"echo works"); out != "works\n" {
				t.Errorf("%s: it prints %q", name, out)
			}
		}
	}
}

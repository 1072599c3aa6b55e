// Package sandboxtest finds the policies that tests can run under.
package sandboxtest

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"nanoclaw/internal/sandbox"
)

// Policies are those that can be used on this machine, by name. A missing engine
// is logged, and with CI=true it fails the test: nothing is skipped in silence.
// Only Docker may be missing there where the tests are not root.
func Policies(t testing.TB) map[string]sandbox.Policy {
	t.Helper()
	found := map[string]sandbox.Policy{}
	for _, name := range []string{"host", "sandbox", "docker"} {
		image := ""
		if name == "docker" {
			image = Image(t)
		}
		policy, err := sandbox.Open(t.Context(), sandbox.Settings{Policy: name, Environment: "development",
			Image: image})
		var missing *sandbox.UnavailableError
		switch {
		case err == nil:
			found[name] = policy
		case !errors.As(err, &missing):
			t.Fatalf("open the policy %s: %v", name, err)
		case os.Getenv("CI") == "true" && (name == "sandbox" || os.Getuid() == 0):
			t.Fatalf("CI=true and %v: run scripts/setup-sandbox.sh", err)
		default:
			t.Logf("NOT TESTED under %s: %v", name, err)
		}
	}
	return found
}

// Each runs a test under every policy that can be used, at the same time.
func Each(t *testing.T, test func(t *testing.T, policy sandbox.Policy)) {
	t.Helper()
	t.Parallel()
	all := Policies(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, all[name])
		})
	}
}

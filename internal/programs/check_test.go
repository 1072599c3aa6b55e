package programs

import (
	"errors"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox/commandpolicy"
	"nanoclaw/internal/tools"
)

// SH4: what only a person can decide runs with an approval; what is refused, by a
// rule or a list, never does; and without a guard nothing risky runs.
func TestTheShellLeavesToAPersonWhatOnlyAPersonCanDecide(t *testing.T) {
	t.Parallel()
	open := config.Default()
	host := config.Default()
	host.Shell.Policy = "host"
	denying := config.Default()
	denying.Shell.Deny = []string{"ssh"}
	allowing := config.Default()
	allowing.Shell.Mode, allowing.Shell.Allow = "allowlist", []string{"ls"}
	for _, test := range []struct {
		c                          *config.Config
		line                       string
		unjudged, judged, approved bool // whether it runs
	}{
		{open, "ls", true, true, true},
		{open, "sudo ls", true, true, true}, // it ends with the sandbox
		// a rule asks; the guard, which knows the rules in force, decides
		{host, "sudo ls", false, true, true},
		{open, "git reset --hard", false, true, true}, // it outlives the sandbox
		{open, "rm -rf /", false, false, false},
		{open, "echo \"unbalanced", true, true, true}, // bash says what is wrong
		{denying, "bash script.sh", false, false, true},
		{denying, "ssh host", false, false, false},
		{denying, "$X host", false, false, true},
		{allowing, "ls -la", true, true, true},
		{allowing, "cat x", false, false, false},
		{allowing, "bash script.sh", false, false, false},
	} {
		for cleared, want := range map[tools.Clearance]bool{"": test.unjudged, tools.Allowed: test.judged,
			tools.Approved: test.approved} {
			err := CheckCommand(test.c, test.line, cleared)
			var refused *commandpolicy.RefusedError
			if (err == nil) != want || err != nil && !errors.As(err, &refused) {
				t.Errorf("%q with clearance %q: %v, want it to run: %v", test.line, cleared, err, want)
			}
		}
	}
}

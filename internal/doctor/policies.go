package doctor

import (
	"context"
	"errors"
	"strings"

	"nanoclaw/internal/sandbox"
)

// policies says what each policy enforces on this machine. The one of the
// configuration is in force; another one that cannot be used is left out, since
// the checks of its programs say why.
func (v *visit) policies(ctx context.Context) []Check {
	var checks []Check
	for _, name := range []string{"sandbox", "docker", "host"} {
		used := v.config.Shell.Policy == name
		policy, err := v.machine.open(ctx, sandbox.Settings{Policy: name, Environment: v.config.Environment,
			Image: v.config.Shell.Image})
		var missing *sandbox.UnavailableError
		switch {
		case err == nil:
			detail := strings.Join(policy.Facts(), " ")
			if used {
				detail = "in force for commands (shell.policy). " + detail
			}
			checks = append(checks, ok("policy_"+name, detail)...)
		case used && errors.As(err, &missing):
			checks = append(checks, warn("policy_"+name,
				"is configured (shell.policy), but cannot be used: shell and Python tools are not offered",
				missing.Reason)...)
		case used:
			checks = append(checks, warn("policy_"+name, "is configured (shell.policy), but cannot be used: "+
				err.Error(), forTools)...)
		}
	}
	return checks
}

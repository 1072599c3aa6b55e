package doctor

import (
	"context"
	"fmt"
)

// guard says what is asked before a tool call runs.
func (v *visit) guard(context.Context) []Check {
	g := v.config.Guard
	detail := fmt.Sprintf("level %s, %d rules of your own, %d built-in rules off, %d tools denied, %d always ask",
		g.Level, len(g.Rules), len(g.DisabledRules), len(g.DeniedTools), len(g.GuardedTools))
	if g.Level == "off" {
		return []Check{{"guard", Warn, detail + ": nothing asks before a tool call runs",
			"set guard.level to auto, unless nobody but you reaches this server and its isolation is enough"}}
	}
	return ok("guard", detail)
}

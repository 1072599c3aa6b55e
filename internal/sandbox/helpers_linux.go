package sandbox

import "nanoclaw/internal/reexec"

// Names of the helper processes.
const (
	superviseHelper = "supervise"
	insideHelper    = "inside"
)

// Helpers are the helper processes of the sandbox.
func Helpers() reexec.Table {
	return reexec.Table{superviseHelper: supervise, insideHelper: helperInside}
}

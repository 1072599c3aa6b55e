//go:build !linux

package sandbox

import "nanoclaw/internal/reexec"

// Helpers are the helper processes of the sandbox.
func Helpers() reexec.Table { return nil }

//go:build !linux

package app

import "runtime/debug"

// releaseStart gives back the memory that only the start took.
func releaseStart() { debug.FreeOSMemory() }

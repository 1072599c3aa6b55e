//go:build !linux

package sandbox

// GuardMemory does nothing here.
func GuardMemory() error { return nil }

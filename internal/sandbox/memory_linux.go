package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// GuardMemory keeps other processes of the same user from reading the server's
// memory and descriptors through /proc or ptrace, and makes it leave no core.
func GuardMemory() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("guard the memory of the server: %w", err)
	}
	return nil
}

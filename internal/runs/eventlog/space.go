package eventlog

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// minFree is how much room NATS needs to begin.
const minFree = 512 << 10

// diskFull says whether a server in this process has no room to write.
func diskFull(o Options) error {
	if o.Servers != nil {
		return nil
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(o.Dir, &stat); err != nil {
		return nil // the folder is gone: opening makes it, or says why not
	}
	if int64(stat.Bavail)*int64(stat.Bsize) < minFree || stat.Files > 0 && stat.Ffree == 0 {
		return fmt.Errorf("write to %s: %w", o.Dir, syscall.ENOSPC)
	}
	return nil
}

// noSpace says whether err comes from a full disk. NATS passes on only the text.
func noSpace(o Options, err error) bool {
	if err == nil || o.Servers != nil {
		return false
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		strings.Contains(err.Error(), syscall.ENOSPC.Error()) || diskFull(o) != nil
}

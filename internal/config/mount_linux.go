package config

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// isMounted says whether a file is a mount of its own, as containers have them: it cannot be
// replaced.
func isMounted(path string) bool {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	var file unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, absolute, 0, unix.STATX_BASIC_STATS, &file)
	return err == nil && file.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

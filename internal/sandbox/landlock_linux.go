package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is a second layer below the namespaces: what can be read and written
// is listed once more, by a part of the kernel that knows nothing of mounts.

// landlockVersion is the version of Landlock that the kernel offers; 0: none.
var landlockVersion = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0 // the kernel has none, or it is switched off
	}
	return int(version)
})

// landlockOldest is the first version that can be used: the one before forbids to
// rename between directories, which ordinary programs do.
const landlockOldest = 2

const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	// landlockWrite leaves out to make devices.
	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE

	landlockDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

type landlockPath struct {
	path   string
	access uint64
}

// landlockPaths are the rights below each path of a sandbox. What is not there is left out.
var landlockPaths = []landlockPath{
	{"/", unix.LANDLOCK_ACCESS_FS_READ_DIR},
	{"/usr", landlockRead}, {"/bin", landlockRead}, {"/sbin", landlockRead}, {"/lib", landlockRead},
	{"/lib32", landlockRead},
	{"/lib64", landlockRead}, {"/libx32", landlockRead}, {"/etc", landlockRead}, {"/proc", landlockRead},
	{"/var", landlockRead},
	{"/dev", landlockRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	{"/dev/shm", landlockRead | landlockWrite},
	{"/tmp", landlockRead | landlockWrite},
	{insideProject, landlockRead | landlockWrite},
}

// landlockRuleset is struct landlock_ruleset_attr.
type landlockRuleset struct{ fs, net, scoped uint64 }

// landlockRules are what a version can restrict. Without tcp there is no TCP at
// all, not even within the sandbox.
func landlockRules(version int, tcp bool) (rules landlockRuleset, size uintptr) {
	size = 8
	rules.fs = landlockRead | landlockWrite | landlockDevices
	if version < 3 {
		rules.fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		size = 16
		if !tcp {
			rules.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if version >= 5 {
		rules.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		size = 24
		rules.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return rules, size
}

// landlock restricts the calling thread, and what it becomes, for good.
func landlock(version int, tcp bool, more []landlockPath) error {
	if version < landlockOldest {
		return nil
	}
	rules, size := landlockRules(version, tcp)
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make the Landlock rules: %w", errno)
	}
	defer unix.Close(int(set))
	for _, one := range slices.Concat(landlockPaths, more) {
		if err := landlockAllow(int(set), one.path, one.access&rules.fs); err != nil && !errors.Is(err,
			fs.ErrNotExist) {
			return fmt.Errorf("allow %s by Landlock: %w", one.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("put the Landlock rules in force: %w", errno)
	}
	return nil
}

// landlockAllow adds rights below a path. A link is left out: what it leads to has
// rights of its own.
func landlockAllow(set int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// landlockFact says what is in force.
func landlockFact(version int) string {
	switch {
	case version == 0:
		return "This kernel has no Landlock: the namespaces and the filter stand without a second layer."
	case version < landlockOldest:
		return fmt.Sprintf(
			"This kernel's Landlock (version %d) is too old: the namespaces and the filter stand without "+
				"a second layer.", version)
	}
	fact := fmt.Sprintf(
		"Landlock (version %d) is a second layer: it lets programs write to the project, their home, /tmp and "+
			"devices of /dev only, and read the system's programs", version)
	if version >= 4 {
		fact += "; Python has no TCP"
	}
	if version >= 6 {
		fact += "; signals do not leave the sandbox"
	}
	return fact + "."
}

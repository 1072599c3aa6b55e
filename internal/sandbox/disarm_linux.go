package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// disarmer makes harmless what a sandbox writes to names that programs outside
// run or obey. Those that a project has when a session starts are read-only; these
// are the ones that it did not have: a repository that was made inside must work
// there, so its hooks cannot be forbidden, but none of them can be run afterwards.
//
// Between a write and the next settle, which follows each command, there is a moment.
type disarmer struct {
	project string
	known   map[string]bool // what is read-only inside
	since   time.Time

	mu      sync.Mutex
	took    time.Duration // of the last walk
	slow    int           // walks in a row that took long
	ended   time.Time     // of the last walk
	working sync.WaitGroup
}

const (
	// disarmEntries bounds one walk.
	disarmEntries = 200_000
	// disarmDepth is how many directories in each other it goes into.
	disarmDepth = 64
	// disarmAtOnce is how long a walk may take that a command waits for. Where
	// disarmSlow of them in a row took longer, which a busy machine alone does not
	// do, they are made in the background, and after a pause of so many times their length.
	disarmAtOnce = 50 * time.Millisecond
	disarmSlow   = 3
	disarmPause  = 20
	// untrusted is what the names of files get that were put aside.
	untrusted = ".untrusted"
	// maxGitConfig bounds a configuration that is read; a larger one is put aside.
	maxGitConfig = 1 << 20
)

func newDisarmer(project string, protected []protection) *disarmer {
	// The kernel's time of files lags behind by some milliseconds.
	d := &disarmer{project: project, known: map[string]bool{}, since: time.Now().Add(-time.Second)}
	for _, one := range protected {
		if one.readOnly {
			d.known[one.path] = true
		}
	}
	return d
}

// settle is called when a command has ended.
func (d *disarmer) settle() {
	if !d.mu.TryLock() {
		return // a walk is under way
	}
	if d.slow < disarmSlow {
		defer d.mu.Unlock()
		d.walk()
		return
	}
	if time.Since(d.ended) < disarmPause*d.took {
		d.mu.Unlock()
		return
	}
	d.working.Go(func() {
		defer d.mu.Unlock()
		d.walk()
	})
}

// finish is called when nothing of the sandbox is left.
func (d *disarmer) finish() {
	d.working.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.walk()
}

// walk looks at the whole project. What it cannot read or change is left as it
// is: the sandbox had no more rights than the server.
func (d *disarmer) walk() {
	began := time.Now()
	root, err := unix.Open(d.project, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the project is gone
	}
	defer unix.Close(root)
	seen := 0
	_ = filepath.WalkDir(d.project, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > disarmEntries {
			return filepath.SkipAll
		}
		if err != nil {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(d.project, path)
		if err != nil {
			return nil
		}
		if isProtected(relative) && !d.known[relative] && !d.name(root, relative) {
			return nil
		}
		if !entry.IsDir() {
			return nil
		}
		if strings.Count(relative, "/") >= disarmDepth {
			return filepath.SkipDir
		}
		d.repository(root, relative)
		return nil
	})
	d.took, d.ended = time.Since(began), time.Now()
	if d.slow++; d.took <= disarmAtOnce {
		d.slow = 0
	}
}

// name puts a protected name aside that the sandbox made; there says whether it stays.
// Git runs nothing that .gitmodules says, and submodules need it. What lies in .git is
// looked at with its repository, and what lies in installed packages nobody obeys.
func (d *disarmer) name(root int, path string) (there bool) {
	parent, base := filepath.Split(path)
	within := "/" + parent
	if base == ".gitmodules" || strings.Contains(within, "/.git/") || strings.Contains(within, "/node_modules/") {
		return true
	}
	dir, err := openDirBeneath(root, filepath.Clean(parent))
	if err != nil {
		return true
	}
	defer unix.Close(dir)
	if !d.changed(dir, base) {
		return true
	}
	putAside(dir, base)
	return false
}

// changed says whether a name is there and is, or was made, something else since the start.
func (d *disarmer) changed(dir int, name string) bool {
	var info unix.Stat_t
	return unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW) == nil && time.Unix(info.Ctim.Unix()).After(d.since)
}

// repository makes a directory harmless that Git would take for a repository: it
// needs no name for that, only objects and refs, or a file that leads to them.
func (d *disarmer) repository(root int, path string) {
	fd, err := openDirBeneath(root, path)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if !(exists(fd, "objects") && exists(fd, "refs")) && !exists(fd, "commondir") {
		return
	}
	touched := d.changed(fd, ".")
	for _, name := range []string{"config", "config.worktree"} {
		if !d.known[filepath.Join(path, name)] && (touched || d.changed(fd, name)) {
			disarmConfig(fd, name)
		}
	}
	if !d.known[filepath.Join(path, "hooks")] {
		d.hooks(fd, touched || d.changed(fd, "hooks"))
	}
}

// hooks takes the right to run away from hooks: Git leaves them alone then.
func (d *disarmer) hooks(repository int, all bool) {
	fd, err := openDirBeneath(repository, "hooks")
	if errors.Is(err, unix.ELOOP) && all {
		putAside(repository, "hooks") // a link
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	names, err := dirNames(fd)
	if err != nil {
		return
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sample") || !all && !d.changed(fd, name) {
			continue
		}
		var info unix.Stat_t
		if unix.Fstatat(fd, name, &info, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		switch info.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			if info.Mode&0o111 != 0 {
				takeExecution(fd, name)
			}
		case unix.S_IFLNK:
			putAside(fd, name)
		}
	}
}

// takeExecution takes the right to be run from a file, if it still is one.
func takeExecution(dir int, name string) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		putAside(dir, name) // it cannot be read, but it may be run
		return
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if unix.Fstat(fd, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG {
		_ = unix.Fchmod(fd, info.Mode&0o666)
	}
}

// disarmConfig leaves the harmless lines of a repository's configuration; the
// whole of it is put aside.
func disarmConfig(dir int, name string) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return
	}
	if err != nil {
		putAside(dir, name) // a link, or not to be read
		return
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		putAside(dir, name)
		return
	}
	data, err := io.ReadAll(io.LimitReader(file, maxGitConfig+1))
	if err != nil {
		return
	}
	kept, dropped := harmlessGitConfig(string(data))
	if len(data) > maxGitConfig {
		kept, dropped = "", true
	}
	if !dropped {
		return
	}
	putAside(dir, name)
	fresh, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return // somebody was faster; the next walk looks again
	}
	out := os.NewFile(uintptr(fresh), name)
	_, _ = out.WriteString(kept) // what is missing of it makes nothing worse
	_ = out.Close()
}

// putAside renames what is at a name, whatever it is, to one that nobody obeys.
func putAside(dir int, name string) {
	for n := 1; n <= 100; n++ {
		aside := name + untrusted
		if n > 1 {
			aside = fmt.Sprintf("%s-%d", aside, n)
		}
		err := unix.Renameat2(dir, name, dir, aside, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return // done, or it is gone, or it is not the server's to rename
		}
	}
	_ = unix.Unlinkat(dir, name, 0) // a hundred copies are enough
}

func openDirBeneath(dir int, path string) (int, error) {
	return unix.Openat2(dir, path, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
}

func exists(dir int, name string) bool {
	var info unix.Stat_t
	return unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW) == nil
}

func dirNames(dir int) ([]string, error) {
	own, err := unix.FcntlInt(uintptr(dir), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(own), "hooks")
	defer file.Close()
	names, err := file.Readdirnames(10_000)
	slices.Sort(names)
	return names, err
}

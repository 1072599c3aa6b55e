package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	maxLinks = 40 // as the kernel's
	dirMode  = 0o755
)

// place is where a path leads: the open directory that holds its last name.
// Everything is then done to that name in that directory, so that a directory
// of the path that is swapped afterwards changes nothing.
type place struct {
	path string      // from the root, without links; "." is the root
	dir  *os.Root    // the directory; the root itself for "."
	name string      // in dir; "." for the root
	info fs.FileInfo // of name, not following a link; nil: nothing is there
	made []string    // parents that were created on the way, outermost first
}

func (p *place) close() { p.dir.Close() }

func (p *place) isRoot() bool { return p.name == "." }

func (p *place) lockKey() (lockKey, error) {
	info, err := p.dir.Stat(".")
	if err != nil {
		return lockKey{}, err
	}
	node := inodeOf(info)
	return lockKey{node.dev, node.ino, p.name}, nil
}

// how says how a path is resolved.
type how struct {
	follow  bool // a link at the end leads on; else the link itself is meant
	parents bool // create missing parents
	absent  bool // a missing parent is no error: the place's path says where the name would be
}

// resolve walks a caller's path from the root, name by name, and follows links
// with the same rules as paths: they stay inside, and reach no reserved or denied
// name. The caller closes the place.
func (l *Local) resolve(ctx context.Context, name string, h how) (*place, error) {
	cleaned, err := CleanPath(name)
	if err != nil {
		return nil, err
	}
	limits := l.limits()
	if err := limits.Permit(name, cleaned); err != nil {
		return nil, err
	}
	if _, output := l.outputPath(cleaned); output && h.parents {
		return nil, Errorf(CodeAccessDenied, name,
			"%s holds outputs of tools, which cannot be written: choose another path", OutputPrefix)
	}
	if h.parents {
		if err := limits.PermitDepth(name, cleaned); err != nil {
			return nil, err
		}
	}
	for range maxSwaps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := l.walkTo(name, cleaned, h)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, errSwapped) {
			return nil, diskError(name, err)
		}
	}
	return nil, swappedError(name)
}

func swappedError(name string) error {
	return diskError(name, errSwapped)
}

// walkTo is one attempt at resolve.
func (l *Local) walkTo(name, cleaned string, h how) (*place, error) {
	w := walker{l: l, name: name, limits: l.limits(), how: h}
	defer w.close()
	root, err := l.openRoot()
	if rest, output := l.outputPath(cleaned); output && err == nil {
		root.Close()
		cleaned, w.prefix = rest, OutputPrefix
		root, err = os.OpenRoot(l.outputs)
	}
	if err != nil {
		return nil, err
	}
	w.dirs = []*os.Root{root}
	if cleaned != "." {
		w.rest = strings.Split(cleaned, "/")
	}
	found, err := w.walk()
	if err != nil {
		l.unmake(w.made)
		return nil, err
	}
	return found, nil
}

// unmake removes the parents that a call made and left empty.
func (l *Local) unmake(made []string) {
	if len(made) == 0 {
		return
	}
	root, err := l.openRoot()
	if err != nil {
		return
	}
	defer root.Close()
	for i := len(made) - 1; i >= 0; i-- {
		if removeEmptyDir(root, made[i]) != nil {
			return // somebody uses it by now
		}
	}
}

// removeEmptyDir removes a directory and nothing else: os.Root's Remove would
// also take a file that has its name meanwhile.
func removeEmptyDir(root *os.Root, cleaned string) error {
	parent, err := root.Open(path.Dir(cleaned) + "/.")
	if err != nil {
		return err
	}
	defer parent.Close()
	return unix.Unlinkat(int(parent.Fd()), path.Base(cleaned), unix.AT_REMOVEDIR)
}

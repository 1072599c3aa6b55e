package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// walker goes from directory to directory. names[i] is the name of dirs[i+1].
type walker struct {
	l      *Local
	name   string // as the caller gave it, for errors
	limits Limits
	how    how
	dirs   []*os.Root
	names  []string
	rest   []string // what is still to go
	links  int
	prefix string // what stands before the path of an output
	made   []string
}

func (w *walker) walk() (*place, error) {
	for len(w.rest) > 0 {
		next := w.rest[0]
		w.rest = w.rest[1:]
		switch next {
		case "", ".":
			continue
		case "..":
			if err := w.up(); err != nil {
				return nil, err
			}
			continue
		}
		if err := w.Permit(next); err != nil {
			return nil, err
		}
		found, err := w.enter(next)
		if found != nil || err != nil {
			return found, err
		}
	}
	info, err := w.here().Stat(".")
	if err != nil {
		return nil, err
	}
	if len(w.names) == 0 {
		return w.take(".", info), nil
	}
	// The path ended in a link to a directory, or in ".." of a link.
	last := w.names[len(w.names)-1]
	w.drop()
	return w.take(last, info), nil
}

// enter looks at one name. It returns the place when the path ends there, and
// neither place nor error when the walk goes on.
func (w *walker) enter(name string) (*place, error) {
	info, err := w.here().Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.missing(name, err)
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0 && (w.how.follow || w.more()):
		return nil, w.followLink(name)
	case !w.more():
		return w.take(name, info), nil
	case !info.IsDir():
		return nil, Errorf(CodeNotADirectory, w.name, "%q on the way is not a directory", name)
	}
	opened, err := openDir(w.here(), name, info)
	if err != nil {
		return nil, raced(err)
	}
	w.dirs = append(w.dirs, opened)
	w.names = append(w.names, name)
	return nil, nil
}

// raced turns the errors of a name that was a directory a moment ago into a new start.
func raced(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if code, _ := explain(err); code == CodeInternal {
		return err
	}
	return errSwapped
}

func (w *walker) missing(name string, err error) (*place, error) {
	if !w.more() {
		return w.take(name, nil), nil
	}
	if w.how.absent {
		rest := w.rest
		found := w.take(name, nil)
		found.path = path.Join(append([]string{found.path}, rest...)...)
		return found, nil
	}
	if !w.how.parents {
		return nil, err
	}
	if err := w.here().Mkdir(name, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	} else if err == nil {
		w.made = append(w.made, w.join(name))
	}
	w.rest = append([]string{name}, w.rest...)
	return nil, nil
}

// more says whether a name follows.
func (w *walker) more() bool {
	for _, name := range w.rest {
		if name != "" && name != "." {
			return true
		}
	}
	return false
}

func (w *walker) followLink(name string) error {
	if w.links++; w.links > maxLinks {
		return Errorf(CodeAccessDenied, w.name, "the path has too many symbolic links")
	}
	target, err := w.here().Readlink(name)
	if err != nil {
		return errSwapped
	}
	if strings.HasPrefix(target, "/") {
		return Errorf(CodeAccessDenied, w.name, "a symbolic link on the way leads out of the project")
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}

func (w *walker) up() error {
	if len(w.names) == 0 {
		return Errorf(CodeAccessDenied, w.name, "a symbolic link on the way leads out of the project")
	}
	w.drop()
	return nil
}

func (w *walker) drop() {
	w.here().Close()
	w.dirs = w.dirs[:len(w.dirs)-1]
	w.names = w.names[:len(w.names)-1]
}

// Permit refuses reserved and denied names, also where a link leads to them.
func (w *walker) Permit(name string) error {
	if isReserved(name) {
		return reservedError(w.name)
	}
	if glob, denied := w.limits.denies(w.join(name)); denied {
		return deniedError(w.name, glob)
	}
	return nil
}

func (w *walker) here() *os.Root { return w.dirs[len(w.dirs)-1] }

func (w *walker) join(name string) string {
	return strings.Join(append(w.names[:len(w.names):len(w.names)], name), "/")
}

// take makes the place and keeps its directory open.
func (w *walker) take(name string, info fs.FileInfo) *place {
	found := &place{path: path.Join(w.prefix, name), dir: w.here(), name: name, info: info, made: w.made}
	if name != "." {
		found.path = path.Join(w.prefix, w.join(name))
	}
	w.dirs = w.dirs[:len(w.dirs)-1]
	return found
}

func (w *walker) close() {
	for _, dir := range w.dirs {
		dir.Close()
	}
}

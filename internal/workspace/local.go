package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Local is a Filesystem on a directory of the host's disk, through os.Root.
//
// Beyond what os.Root refuses (everything that leads out of the directory) it
// refuses FIFOs, sockets and devices, and files with more than one hard link:
// nobody can know whether the other link is outside the project. Such files can
// be listed, moved and deleted, but neither read nor written.
//
// It holds no descriptors between calls and needs no closing. Writes are not
// synced to the disk one by one: a crash of the process loses nothing, a power
// cut may take the last seconds.
type Local struct {
	dir   string
	trash string // where deleted files go, absolute; empty: nowhere
	// outputs is where outputs of tools lie, absolute; empty: nowhere.
	outputs string
	limits  func() Limits
	usage   usage
	// inPlace: the directory is a person's, and what it holds already does not count
	// in its limits.
	inPlace bool
}

var _ Filesystem = (*Local)(nil)

// NewLocal returns the files in dir, an absolute path to a directory that exists
// when the first call comes. limits is asked on every call, so that a new
// configuration holds at once; nil is no limits.
func NewLocal(dir string, limits func() Limits) *Local {
	if limits == nil {
		limits = func() Limits { return Limits{} }
	}
	return &Local{dir: dir, limits: limits}
}

// WithTrash makes deleted files go to a directory, which is made when it is needed
// and must not be in the project. It is called before the first other call.
func (l *Local) WithTrash(dir string) *Local {
	l.trash = dir
	return l
}

// InPlace makes the limits count what is added from now on. It is called before the
// first other call.
func (l *Local) InPlace() *Local {
	l.inPlace = true
	return l
}

// Dir is the directory on the host, for those who run processes in it.
func (l *Local) Dir() string { return l.dir }

// LocalOf is the directory of this machine that files are in, where programs can run
// beside them: denied names can be masked there, and quotas watched. A Filesystem that
// embeds a *Local has it, too.
func LocalOf(files Filesystem) (*Local, bool) {
	in, ok := files.(interface{ local() *Local })
	if !ok {
		return nil, false
	}
	return in.local(), true
}

func (l *Local) local() *Local { return l }

// openRoot opens the project's directory. The "/." keeps the open from waiting
// for a writer where a FIFO took the directory's place.
func (l *Local) openRoot() (*os.Root, error) {
	root, err := os.OpenRoot(l.dir + "/.")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Code: CodeNotFound, Message: "the project's directory is gone", Err: err}
	}
	if err != nil {
		return nil, diskError("", err)
	}
	return root, nil
}

// openDir opens the directory name of dir and makes sure that it is the one
// that info describes, not something that took its place meanwhile. A name that
// is no directory any more fails at once, a FIFO too.
func openDir(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	opened, err := dir.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	now, err := opened.Stat(".")
	if err != nil {
		opened.Close()
		return nil, err
	}
	if !os.SameFile(info, now) {
		opened.Close()
		return nil, errSwapped
	}
	return opened, nil
}

// errSwapped says that what was looked at is not what was opened: the call
// starts again from the root.
var errSwapped = errors.New("the path changed while it was opened")

// maxSwaps is how often a call starts again before it gives up.
const maxSwaps = 64

func entryOf(cleaned string, info fs.FileInfo) Entry {
	entry := Entry{
		Name:     path.Base(cleaned),
		Path:     cleaned,
		Type:     typeOf(info.Mode()),
		Modified: info.ModTime().UTC(),
	}
	if entry.Type == TypeFile {
		entry.Size = info.Size()
		entry.Executable = info.Mode()&0o111 != 0
	}
	return entry
}

func typeOf(mode fs.FileMode) EntryType {
	switch {
	case mode.IsRegular():
		return TypeFile
	case mode.IsDir():
		return TypeDirectory
	case mode&fs.ModeSymlink != 0:
		return TypeSymlink
	}
	return TypeOther
}

package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	newFileMode = 0o644
	stagedMode  = 0o600 // while it is written: the file that it replaces may be private
)

// stagedFile is a new content, whole on the disk but under no name of the project.
type stagedFile struct {
	dir  *os.Root
	name string
	file *os.File
	size int64
	etag string
	mode fs.FileMode // that the caller wants; 0: none
	keep *Actor      // the content that it replaces goes to the trash as this one's; nil: it is gone
	done bool        // it has its name
}

// discard removes what was not committed.
func (s *stagedFile) discard() {
	if s.done {
		return
	}
	_ = s.file.Close() // it may be closed already
	// What cannot be removed now is removed by a listing later.
	_ = s.dir.Remove(s.name)
}

// stage writes a stream to a new file beside the target.
func (l *Local) stage(ctx context.Context, target *place, path string, r io.Reader) (*stagedFile, error) {
	name := tempPrefix + randomName()
	mode := fs.FileMode(newFileMode)
	if target.info != nil {
		mode = stagedMode
	}
	f, err := target.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errSwapped // the directory was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	staged := &stagedFile{dir: target.dir, name: name, file: f}
	if err := staged.fill(ctx, r, path, l.limits()); err != nil {
		staged.discard()
		return nil, err
	}
	return staged, nil
}

func (s *stagedFile) fill(ctx context.Context, r io.Reader, path string, limits Limits) error {
	h := NewETag()
	source := &sourceReader{r: contextReader{ctx, r}}
	in := io.Reader(source)
	if limits.MaxFileSize > 0 {
		in = io.LimitReader(in, limits.MaxFileSize+1)
	}
	size, err := io.Copy(io.MultiWriter(s.file, h), in)
	if source.err != nil {
		return &callerError{source.err}
	}
	if err != nil {
		return err
	}
	if limits.TooLarge(size) {
		return limits.TooLargeError(path)
	}
	s.size, s.etag = size, ETagText(h)
	return nil
}

// sourceReader tells the errors of the caller's stream from those of the disk.
type sourceReader struct {
	r   io.Reader
	err error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the process instead
	return hex.EncodeToString(b[:])
}

// commit gives a staged file the target's name. The caller holds the place's lock.
func (l *Local) commit(ctx context.Context, target *place, path string, s *stagedFile) (Written, error) {
	cleaned, err := CleanPath(path)
	if err != nil {
		return Written{}, err
	}
	old := sizeOf(target.info)
	keep, err := l.keepsOld(ctx, target, path, s)
	if err != nil {
		return Written{}, err
	}
	grown := change{files: 1, bytes: s.size}
	if !keep {
		grown = grown.minus(old)
	}
	undo, err := l.reserve(ctx, path, grown)
	if err != nil {
		return Written{}, err
	}
	if keep {
		err = l.replaceKept(ctx, target, s)
	} else {
		err = s.rename(target)
	}
	if err != nil {
		undo()
		return Written{}, err
	}
	return Written{Path: cleaned, Created: target.info == nil, Size: s.size, ETag: s.etag}, nil
}

// keepsOld says whether what is at the target goes to the trash: only what is
// another content.
func (l *Local) keepsOld(ctx context.Context, target *place, path string, s *stagedFile) (bool, error) {
	if s.keep == nil || l.trash == "" || target.info == nil {
		return false, nil
	}
	f, _, err := target.openFile(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	etag, err := fileETag(ctx, f)
	return etag != s.etag, err
}

// replaceKept gives a staged file the target's name and moves what was there to the
// trash. The name is never without a file.
func (l *Local) replaceKept(ctx context.Context, target *place, s *stagedFile) error {
	if err := s.prepare(target); err != nil {
		return err
	}
	return l.intoTrash(ctx, target, census{change: sizeOf(target.info)}, *s.keep, func(item *os.Root) error {
		err := exchange(s.dir, s.name, target.dir, target.name)
		if errors.Is(err, errors.ErrUnsupported) {
			if err := copyTree(ctx, target.dir, target.name, item, trashItemName); err != nil {
				return err
			}
			if err := s.dir.Rename(s.name, target.name); err != nil {
				return err
			}
			s.done = true
			return nil
		}
		if err != nil {
			return err
		}
		s.done = true // what has the staged name now is the old content
		err = renameNew(s.dir, s.name, item, trashItemName)
		if errors.Is(err, syscall.EXDEV) {
			if err = copyTree(ctx, s.dir, s.name, item, trashItemName); err == nil {
				err = s.dir.Remove(s.name)
			}
		}
		if err == nil {
			return nil
		}
		// Nothing is lost: the old content takes its name back.
		if failed := exchange(s.dir, s.name, target.dir, target.name); failed == nil {
			s.done = false
		}
		return err
	})
}

// prepare makes a staged file what it shall be under its name.
func (s *stagedFile) prepare(target *place) error {
	if target.info != nil {
		if err := s.takeAfter(target.info); err != nil {
			return err
		}
	}
	if s.mode != 0 {
		if err := s.file.Chmod(s.mode); err != nil {
			return err
		}
	}
	return s.close()
}

// close closes the file; a batch has done that long before.
func (s *stagedFile) close() error {
	err := s.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func (s *stagedFile) rename(target *place) error {
	if err := s.prepare(target); err != nil {
		return err
	}
	var err error
	if target.info == nil {
		err = renameNew(s.dir, s.name, target.dir, target.name)
		if errors.Is(err, fs.ErrExist) {
			return errSwapped // another process was faster
		}
	} else {
		err = s.dir.Rename(s.name, target.name)
	}
	if err != nil {
		return err
	}
	s.done = true
	return nil
}

// takeAfter gives the new file the permissions of the one that it replaces, and
// its owner where the server may do that.
func (s *stagedFile) takeAfter(old fs.FileInfo) error {
	if node := inodeOf(old); os.Geteuid() == 0 && (node.uid != 0 || node.gid != 0) {
		if err := s.file.Chown(int(node.uid), int(node.gid)); err != nil {
			return err
		}
	}
	return s.file.Chmod(old.Mode().Perm())
}

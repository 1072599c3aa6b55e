package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"time"

	"golang.org/x/sys/unix"
)

// An archive is a gzipped tar file with these entries, in this order:
//
//	nanoclaw-backup.json   archiveHead
//	nanoclaw.db            the database
//	config.yml             the configuration file, where there is one
//	config.secrets.yml     the secrets beside it, where there are some
//	workspaces/<id>/…      directories of projects, where there are some
//	workspaces/.trash/…    what was deleted in projects
//	files/…                shared files and snapshots of sandboxes, where there are some
//	user-skills/…          skills of users, where there are some
//	end.json               archiveEnd: an archive without it is cut off
const (
	archiveFormat   = 1
	archiveHeadName = "nanoclaw-backup.json"
	archiveDatabase = "nanoclaw.db"
	archiveConfig   = "config.yml"
	archiveSecrets  = "config.secrets.yml"
	archiveProjects = "workspaces"
	archiveShared   = "files"
	archiveSkills   = "user-skills"
	archiveEndName  = "end.json"

	// longestNote bounds archiveHead and archiveEnd.
	longestNote = 64 << 10 // bytes
)

// dataTrees are directories of data_dir that are backed up whole.
var dataTrees = []string{archiveShared, archiveSkills}

// projectID is what the id of a project looks like.
var projectID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// archiveHead says what made an archive.
type archiveHead struct {
	Format  int       `json:"format"`
	Version string    `json:"version"`
	Created time.Time `json:"created"`
}

// archiveEnd says what stands before it in an archive.
type archiveEnd struct {
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"`  // of the contents of files
	SHA256  string `json:"sha256"` // of all names, kinds, modes, targets of links, and contents
}

// archiveSum adds up what an archive holds.
type archiveSum struct {
	entries int
	bytes   int64
	hash    hash.Hash
}

func newArchiveSum() *archiveSum { return &archiveSum{hash: sha256.New()} }

func (s *archiveSum) add(h *tar.Header) {
	s.entries++
	s.bytes += h.Size
	for _, text := range []string{h.Name, h.Linkname} {
		s.number(int64(len(text)))
		s.hash.Write([]byte(text))
	}
	s.number(int64(h.Typeflag))
	s.number(h.Mode)
	s.number(h.Size)
}

func (s *archiveSum) number(n int64) {
	s.hash.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func (s *archiveSum) end() archiveEnd {
	return archiveEnd{Entries: s.entries, Bytes: s.bytes, SHA256: hex.EncodeToString(s.hash.Sum(nil))}
}

// archiveWriter writes an archive.
type archiveWriter struct {
	tar *tar.Writer
	sum *archiveSum
	now time.Time // of what has no time of its own
}

func newArchiveWriter(out io.Writer, now time.Time) *archiveWriter {
	return &archiveWriter{tar: tar.NewWriter(out), sum: newArchiveSum(), now: now}
}

func (w *archiveWriter) head(head archiveHead) error { return w.note(archiveHeadName, head) }

// close writes the end of the archive.
func (w *archiveWriter) close() error {
	if err := w.note(archiveEndName, w.sum.end()); err != nil {
		return err
	}
	if err := w.tar.Close(); err != nil {
		return fmt.Errorf("end the backup: %w", err)
	}
	return nil
}

func (w *archiveWriter) note(name string, note any) error {
	text, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("describe the backup: %w", err)
	}
	if err := w.header(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600,
		Size: int64(len(text))}); err != nil {
		return err
	}
	return w.content(name, text)
}

func (w *archiveWriter) header(h *tar.Header) error {
	// PAX keeps long names, names of any bytes, and fractions of seconds.
	h.Format = tar.FormatPAX
	if h.ModTime.IsZero() {
		h.ModTime = w.now
	}
	w.sum.add(h)
	if err := w.tar.WriteHeader(h); err != nil {
		return fmt.Errorf("back up %s: %w", h.Name, err)
	}
	return nil
}

func (w *archiveWriter) content(name string, text []byte) error {
	w.sum.hash.Write(text)
	if _, err := w.tar.Write(text); err != nil {
		return fmt.Errorf("back up %s: %w", name, err)
	}
	return nil
}

func (w *archiveWriter) directory(name string, h tar.Header) error {
	h.Typeflag, h.Name = tar.TypeDir, name+"/"
	return w.header(&h)
}

// file adds a file of the host.
func (w *archiveWriter) file(name, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("back up %s: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("back up %s: %w", name, err)
	}
	return w.regular(name, f, info)
}

// regular adds a file as long as it was when it was opened: what is appended
// meanwhile is left out, and what was cut off meanwhile is filled with zeros, as
// tar has to know the length before.
func (w *archiveWriter) regular(name string, f *os.File, info fs.FileInfo) error {
	err := w.header(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size(), ModTime: info.ModTime(),
	})
	if err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum.hash), io.LimitReader(f, info.Size()))
	if err != nil {
		return fmt.Errorf("back up %s: %w", name, err)
	}
	zeros := make([]byte, 32<<10)
	for missing := info.Size() - n; missing > 0; missing -= int64(len(zeros)) {
		zeros = zeros[:min(missing, int64(len(zeros)))]
		if err := w.content(name, zeros); err != nil {
			return err
		}
	}
	return nil
}

// tree adds a directory below root with everything in it, below a name in the archive. Links are kept as links.
// What is neither file, directory nor link, and what cannot be read or has gone
// meanwhile, is left out and returned.
func (w *archiveWriter) tree(ctx context.Context, root *os.Root, dir, below string) (skipped []string, err error) {
	err = fs.WalkDir(root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = w.entry(root, name, path.Join(below, name), entry)
		}
		var unreadable *unreadableError
		if errors.As(err, &unreadable) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			skipped = append(skipped, name)
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return err
	})
	return skipped, err
}

// unreadableError is why an entry is not part of a backup.
type unreadableError struct{ why string }

func (e *unreadableError) Error() string { return e.why }

func (w *archiveWriter) entry(root *os.Root, name, at string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		return w.directory(at, tar.Header{Mode: int64(info.Mode().Perm()), ModTime: info.ModTime()})
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		return w.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: at, Linkname: target, Mode: 0o777,
			ModTime: info.ModTime()})
	case !info.Mode().IsRegular():
		return &unreadableError{"it is no file"}
	}
	f, err := openPlain(root, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &unreadableError{"it is no file any more"}
	}
	return w.regular(at, f, info)
}

// openPlain opens a file for reading. What became a pipe meanwhile does not make
// it wait.
func openPlain(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
}

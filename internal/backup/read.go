package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nanoclaw/internal/workspace"
)

// archiveContents is what an archive holds.
type archiveContents struct {
	head     archiveHead
	bytes    int64 // of files
	projects []string
	trees    []string // of dataTrees
	config   bool
	secrets  bool
}

// readArchive checks an archive from its first to its last byte. visit, where it is
// not nil, gets the database, the configuration and the projects' entries in
// their order; what it does not read of a content is checked all the same. An error
// may come only at the end, when everything was visited.
func readArchive(ctx context.Context, file io.Reader, visit func(h *tar.Header,
	content io.Reader) error) (*archiveContents, error) {
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("it is no backup: %w", err)
	}
	r := &archiveReader{tar: tar.NewReader(unpacked), sum: newArchiveSum(), kinds: map[string]byte{},
		contents: &archiveContents{}}
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		more, err := r.next(visit)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	// The rest is padding; reading it checks the sum of the packed bytes.
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return nil, fmt.Errorf("the backup is damaged: %w", err)
	}
	return r.contents, nil
}

// archiveReader is the state of readArchive.
type archiveReader struct {
	tar      *tar.Reader
	sum      *archiveSum
	kinds    map[string]byte // type by name of what was there
	contents *archiveContents
}

// next reads one entry; more is false behind the last one.
func (r *archiveReader) next(visit func(h *tar.Header, content io.Reader) error) (more bool, err error) {
	h, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return false, errors.New("the backup is cut off: its end is missing")
	}
	if err != nil {
		return false, fmt.Errorf("the backup is damaged: %w", err)
	}
	if len(r.kinds) == 0 {
		if h.Name != archiveHeadName {
			return false, fmt.Errorf("it is no backup: it begins with %q, not %s", h.Name, archiveHeadName)
		}
		r.kinds[h.Name] = h.Typeflag
		if err := r.note(h, &r.contents.head); err != nil {
			return false, err
		}
		if r.contents.head.Format != archiveFormat {
			return false,
				fmt.Errorf("the backup has format %d, and this program reads %d: use the version %s that made it",
					r.contents.head.Format, archiveFormat, r.contents.head.Version)
		}
		return true, nil
	}
	if h.Name == archiveEndName {
		return false, r.end(h)
	}
	if err := r.check(h); err != nil {
		return false, fmt.Errorf("the backup is refused: %q %w", h.Name, err)
	}
	r.sum.add(h)
	content := io.TeeReader(r.tar, r.sum.hash)
	if visit != nil {
		if err := visit(h, content); err != nil {
			return false, err
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return false, fmt.Errorf("the backup is damaged: read %q: %w", h.Name, err)
	}
	return true, nil
}

// note reads the head or the end.
func (r *archiveReader) note(h *tar.Header, into any) error {
	if h.Typeflag != tar.TypeReg || h.Size > longestNote {
		return fmt.Errorf("the backup is refused: %s is no short file", h.Name)
	}
	text, err := io.ReadAll(r.tar)
	if err != nil {
		return fmt.Errorf("the backup is damaged: read %s: %w", h.Name, err)
	}
	if into != nil && h.Name == archiveHeadName {
		r.sum.add(h)
		r.sum.hash.Write(text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the backup is damaged: read %s: %w", h.Name, err)
	}
	return nil
}

func (r *archiveReader) end(h *tar.Header) error {
	var said archiveEnd
	if err := r.note(h, &said); err != nil {
		return err
	}
	if found := r.sum.end(); found != said {
		return fmt.Errorf(
			"the backup is damaged: it holds %d entries with %d bytes and says %d with %d, or their sum is another one",
			found.Entries, found.Bytes, said.Entries, said.Bytes)
	}
	if r.kinds[archiveDatabase] == 0 {
		return errors.New("the backup is refused: it holds no database")
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return errors.New("the backup is refused: something stands behind its end")
	}
	r.contents.bytes = r.sum.bytes
	return nil
}

// check refuses every entry that Backup would not write: above all a name that
// leads out of its place.
func (r *archiveReader) check(h *tar.Header) error {
	name := h.Name
	if h.Typeflag == tar.TypeDir {
		name = strings.TrimSuffix(name, "/")
	}
	if !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") &&
		!strings.HasPrefix(name, archiveProjects+"/") {
		return errors.New("is no plain path")
	}
	if r.kinds[name] != 0 {
		return errors.New("is there twice")
	}
	r.kinds[name] = h.Typeflag
	below, isProject := strings.CutPrefix(name, archiveProjects+"/")
	tree, inTree, _ := strings.Cut(name, "/")
	switch {
	case slices.Contains(dataTrees, tree):
		return r.checkTree(h, name, inTree == "")
	case name == archiveDatabase && h.Typeflag == tar.TypeReg:
	case name == archiveConfig && h.Typeflag == tar.TypeReg:
		r.contents.config = true
	case name == archiveSecrets && h.Typeflag == tar.TypeReg:
		r.contents.secrets = true
	case name == archiveProjects && h.Typeflag == tar.TypeDir:
	case isProject:
		return r.checkProject(h, name, below)
	default:
		return errors.New("is not part of a backup")
	}
	return nil
}

// checkTree looks at an entry of a directory of data_dir: directories and files.
func (r *archiveReader) checkTree(h *tar.Header, name string, top bool) error {
	switch {
	case h.Typeflag != tar.TypeDir && (top || h.Typeflag != tar.TypeReg):
		return errors.New("is neither a file nor a directory")
	case top:
		r.contents.trees = append(r.contents.trees, name)
	case r.kinds[path.Dir(name)] != tar.TypeDir:
		return errors.New("lies in no directory of the backup")
	}
	return nil
}

func (r *archiveReader) checkProject(h *tar.Header, name, below string) error {
	id, _, inside := strings.Cut(below, "/")
	if !projectID.MatchString(id) && id != workspace.TrashDir {
		return errors.New("belongs to no project")
	}
	if r.kinds[path.Dir(name)] != tar.TypeDir {
		return errors.New("lies in no directory of the backup")
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if !inside {
			r.contents.projects = append(r.contents.projects, id)
		}
		return nil
	case tar.TypeReg, tar.TypeSymlink:
		if inside {
			return nil
		}
		return errors.New("is no directory")
	}
	return errors.New("is neither a file nor a directory nor a link")
}

package workspace

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// WriteZip streams a directory of a file system as a zip archive, with paths
// relative to it. What cannot be read (links, special files, denied names) is
// left out and returned; the archive's comment names it as well. After another
// error the archive is incomplete.
func WriteZip(ctx context.Context, files Filesystem, dir string, w io.Writer) (skipped []string, err error) {
	base, err := CleanPath(dir)
	if err != nil {
		return nil, err
	}
	archive := &archive{files: files, zip: zip.NewWriter(w), buffer: make([]byte, 32<<10)}
	if base != "." {
		archive.cut = base + "/"
	}
	if err := archive.addAll(ctx, base); err != nil {
		return archive.skipped, err
	}
	if err := archive.comment(); err != nil {
		return archive.skipped, err
	}
	return archive.skipped, archive.zip.Close()
}

type archive struct {
	files   Filesystem
	zip     *zip.Writer
	cut     string // what the names in the archive leave out
	skipped []string
	buffer  []byte
}

// fileWalker is a file system that opens files on the way through a tree.
type fileWalker interface {
	walkFiles(ctx context.Context, dir string, visit func(entry Entry, open func() (io.ReadCloser, error)) error) error
}

// addAll goes through the tree once. Folders that searches ignore are in the
// archive: it is for people, who want all that they have.
func (a *archive) addAll(ctx context.Context, dir string) error {
	if files, ok := a.files.(fileWalker); ok {
		return files.walkFiles(ctx, dir, func(entry Entry, open func() (io.ReadCloser, error)) error {
			return a.add(ctx, entry, open)
		})
	}
	listing, err := a.files.List(ctx, dir, ListOptions{Recursive: true, All: true, Limit: -1})
	if err != nil {
		return fmt.Errorf("list %q for an archive: %w", dir, err)
	}
	for _, entry := range listing.Entries {
		err := a.add(ctx, entry, func() (io.ReadCloser, error) {
			content, _, err := a.files.Download(ctx, entry.Path)
			return content, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) add(ctx context.Context, entry Entry, open func() (io.ReadCloser, error)) error {
	switch entry.Type {
	case TypeDirectory:
		return a.addDirEntry(entry)
	case TypeFile:
		return a.addFile(ctx, entry, open)
	}
	a.skipped = append(a.skipped, entry.Path)
	return nil
}

func (a *archive) addDirEntry(entry Entry) error {
	header := a.header(entry)
	header.Name += "/"
	header.Method = zip.Store
	if _, err := a.zip.CreateHeader(header); err != nil {
		return fmt.Errorf("archive directory %q: %w", entry.Path, err)
	}
	return nil
}

func (a *archive) addFile(ctx context.Context, entry Entry, open func() (io.ReadCloser, error)) error {
	in, err := open()
	if err != nil {
		return a.skipRefused(entry, err)
	}
	defer in.Close()
	out, err := a.zip.CreateHeader(a.header(entry))
	if err != nil {
		return fmt.Errorf("archive file %q: %w", entry.Path, err)
	}
	if _, err := io.CopyBuffer(out, contextReader{ctx, in}, a.buffer); err != nil {
		return fmt.Errorf("archive file %q: %w", entry.Path, err)
	}
	return nil
}

// skipRefused leaves out what may not be read or has gone meanwhile.
func (a *archive) skipRefused(entry Entry, err error) error {
	var own *Error
	if errors.As(err, &own) && own.Code != CodeInternal {
		a.skipped = append(a.skipped, entry.Path)
		return nil
	}
	return err
}

func (a *archive) header(entry Entry) *zip.FileHeader {
	header := &zip.FileHeader{
		Name:     strings.TrimPrefix(entry.Path, a.cut),
		Method:   zip.Deflate,
		Modified: entry.Modified,
	}
	switch {
	case entry.Type == TypeDirectory:
		header.SetMode(fs.ModeDir | dirMode)
	case entry.Executable:
		header.SetMode(0o755)
	default:
		header.SetMode(newFileMode)
	}
	return header
}

const maxZipComment = 60_000 // bytes; the format ends at 65,535

func (a *archive) comment() error {
	if len(a.skipped) == 0 {
		return nil
	}
	text := "left out: " + strings.Join(a.skipped, ", ")
	if len(text) > maxZipComment {
		text = text[:maxZipComment] + "…"
	}
	return a.zip.SetComment(strings.ToValidUTF8(text, "\uFFFD"))
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"nanoclaw/internal/services"
)

// Version is what is at a path at one moment.
type Version struct {
	Path string    // from the root, links on the way followed
	Kind EntryType // empty: nothing is there
	Size int64     // of a file, bytes
	Mode uint32    // permissions
	ETag string    // of a file's content, where it was asked for
	Link string    // where a link leads to
	// of a file's metadata: differs when the content does, but for changes within one tick of the disk's clock
	Stamp string
	// Settled: the file was left alone for so long that Stamp stands for its content.
	Settled bool
}

// Recorder notes what runs change in a project's files. Tools get it through the
// Service Locator; it may be missing.
type Recorder interface {
	// Recorded is files with changes noted as those of the actor's run.
	Recorded(actor Actor, projectID string, files Filesystem) Filesystem
}

// RecorderKey is where the Recorder is registered in the Service Locator.
var RecorderKey = services.NewKey[Recorder]("changes")

// Look describes what is at a path, with the hash of a content of up to hash bytes;
// negative: of any. follow says whether a link at the end leads on. Nothing being
// there is no error.
func (l *Local) Look(ctx context.Context, name string, follow bool, hash int64) (Version, error) {
	for range maxSwaps {
		v, err := l.lookOnce(ctx, name, follow, hash)
		if !errors.Is(err, errSwapped) {
			return v, diskError(name, err)
		}
	}
	return Version{}, swappedError(name)
}

func (l *Local) lookOnce(ctx context.Context, name string, follow bool, hash int64) (Version, error) {
	found, err := l.resolve(ctx, name, how{follow: follow})
	if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
		return l.lookMissing(ctx, name)
	}
	if err != nil {
		return Version{}, err
	}
	defer found.close()
	if found.info == nil {
		return Version{Path: found.path}, nil
	}
	v := versionAt(found.path, found.info)
	switch v.Kind {
	case TypeSymlink:
		v.Link, err = found.dir.Readlink(found.name)
	case TypeFile:
		if hash >= 0 && v.Size > hash {
			break
		}
		f, info, openErr := found.openFile(name)
		if IsCode(openErr, CodeAccessDenied) {
			break // another name of it may be outside: its content is not ours
		}
		if err = openErr; err == nil {
			defer f.Close()
			v = versionAt(found.path, info)
			v.ETag, err = fileETag(ctx, f)
		}
	}
	return v, err
}

// lookMissing finds out what the path of something is whose parents do not exist.
func (l *Local) lookMissing(ctx context.Context, name string) (Version, error) {
	cleaned, err := CleanPath(name)
	if err != nil {
		return Version{}, err
	}
	parent, rest := path.Dir(cleaned), path.Base(cleaned)
	for ; parent != "."; parent, rest = path.Dir(parent), path.Join(path.Base(parent), rest) {
		found, err := l.resolve(ctx, parent, how{follow: true})
		if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
			continue
		}
		if err != nil {
			return Version{}, err
		}
		at, there := found.path, found.info != nil
		found.close()
		if there {
			return Version{Path: joinPath(at, rest)}, nil
		}
	}
	return Version{Path: strings.TrimPrefix(joinPath(parent, rest), "./")}, nil
}

func versionAt(at string, info fs.FileInfo) Version {
	v := Version{Path: at, Kind: typeOf(info.Mode()), Mode: uint32(info.Mode().Perm())}
	if v.Kind == TypeFile {
		v.Size, v.Stamp, v.Settled = info.Size(), stampOf(info), versionOf(info).settled(time.Now())
	}
	return v
}

func stampOf(info fs.FileInfo) string {
	m := versionOf(info)
	return fmt.Sprintf("%x.%x.%x.%x", m.ino, m.size, m.modified, m.changed)
}

// Survey describes everything below a directory, without hashes, in the order of
// paths; folders that are ignored are left out unless all is set. complete is false
// where there are more than limit entries, or, with all, directories that are nested
// too deep.
func (l *Local) Survey(ctx context.Context, dir string, limit int,
	all bool) (found []Version, complete bool, err error) {
	root, base, err := l.openDirAt(ctx, dir)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	complete = true
	walk := l.walkOptions(ctx, base)
	walk.all = walk.all || all
	err = walkTree(ctx, root, walk, func(e treeEntry) error {
		if len(found) == limit {
			complete = false
			return errStop
		}
		complete = complete && !(all && e.tooDeep)
		v := versionAt(joinPath(base, e.path), e.info)
		if v.Kind == TypeSymlink {
			if v.Link, err = e.dir.Readlink(e.name); err != nil {
				return nil // gone meanwhile
			}
		}
		found = append(found, v)
		return nil
	})
	return found, complete, diskError(dir, err)
}

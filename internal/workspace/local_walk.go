package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// staleTemp is how old a half-written file must be before it is what a crash
// left behind: a running upload touches its file all the time.
const staleTemp = time.Hour

// gitDir is not walked into by searches: its files are no text of the project.
const gitDir = ".git"

// treeDir is the open directory that a walk starts from.
type treeDir = *os.Root

// treeEntry is one entry that a walk comes by.
type treeEntry struct {
	path string // from where the walk started, with slashes
	name string
	info fs.FileInfo // of the entry itself, not of what a link leads to
	dir  *os.Root    // the directory that holds it; open during the visit only
}

type walkOptions struct {
	flat      bool // one directory only
	dirsFirst bool
	all       bool // into .git as well
}

// errStop ends a walk early without an error.
var errStop = errors.New("stop")

// errSkipDir keeps a walk from going into the directory that was visited.
var errSkipDir = errors.New("skip directory")

// walkTree visits everything below dir: names in order, a directory before what
// is in it. It follows no links and shows nothing that is reserved. Directories
// that cannot be read, or vanish meanwhile, are passed over.
func walkTree(ctx context.Context, dir treeDir, opts walkOptions, visit func(treeEntry) error) error {
	err := walkDir(ctx, dir, "", opts, visit)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func walkDir(ctx context.Context, dir *os.Root, prefix string, opts walkOptions, visit func(treeEntry) error) error {
	entries, err := readDir(dir)
	if err != nil {
		if prefix != "" && passable(err) {
			return nil
		}
		return err
	}
	sortInfos(entries, opts.dirsFirst)
	for _, info := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		entry := treeEntry{path: prefix + info.Name(), name: info.Name(), info: info, dir: dir}
		err := visit(entry)
		if errors.Is(err, errSkipDir) {
			continue
		}
		if err != nil {
			return err
		}
		if opts.flat || !info.IsDir() || (info.Name() == gitDir && !opts.all) {
			continue
		}
		if err := walkInto(ctx, entry, opts, visit); err != nil {
			return err
		}
	}
	return nil
}

func walkInto(ctx context.Context, entry treeEntry, opts walkOptions, visit func(treeEntry) error) error {
	sub, err := openDir(entry.dir, entry.name, entry.info)
	if err != nil {
		if passable(err) {
			return nil
		}
		return err
	}
	defer sub.Close()
	return walkDir(ctx, sub, entry.path+"/", opts, visit)
}

// passable are the errors of a directory that is closed to us or has just changed.
func passable(err error) bool {
	code, _ := explain(err)
	return code != CodeInternal
}

// readDir returns the entries of a directory in no order, without the reserved
// ones, and removes what a crash left half-written.
func readDir(dir *os.Root) ([]fs.FileInfo, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if isTemp(entry.Name()) && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleTemp {
			// Failing is harmless: the next listing tries again.
			_ = dir.Remove(entry.Name())
		}
		if !isReserved(entry.Name()) {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

func sortInfos(infos []fs.FileInfo, dirsFirst bool) {
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		if dirsFirst && a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
}

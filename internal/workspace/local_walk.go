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

// gitDir is ignored everywhere: its files are no text of the project.
const gitDir = ".git"

// noDepth bounds walks where the limits do not: each level is an open directory.
const noDepth = 255

// treeEntry is one entry that a walk comes by.
type treeEntry struct {
	path string // from where the walk started, with slashes
	name string
	info fs.FileInfo // of the entry itself, not of what a link leads to
	dir  *os.Root    // the directory that holds it; open during the visit only
	// ignored: it lies in a folder that is ignored. Walks with all come by such ones only.
	ignored bool
	// tooDeep: it is a directory that the walk does not go into, since it is nested
	// deeper than the limits allow.
	tooDeep bool
}

type walkOptions struct {
	base      string // cleaned path of where the walk starts
	depth     int    // directories in each other that it goes into
	ignores   *ignores
	flat      bool // one directory only
	dirsFirst bool
	unsorted  bool
	all       bool // into .git and ignored folders as well
}

// errStop ends a walk early without an error.
var errStop = errors.New("stop")

// errSkipDir keeps a walk from going into the directory that was visited.
var errSkipDir = errors.New("skip directory")

// walkOptions are those of a walk that starts at a cleaned path. A walk that starts
// in a folder that is ignored ignores nothing.
func (l *Local) walkOptions(ctx context.Context, base string) walkOptions {
	limits := l.limits()
	opts := walkOptions{base: base, depth: limits.depth() - depthOf(base), ignores: newIgnores(limits.SkipFolders)}
	for end := 0; base != "." && end < len(base); end++ {
		parent := "."
		if end > 0 {
			parent = base[:end-1]
		}
		opts.ignores = l.ignoresOf(ctx, parent, opts.ignores)
		if next := strings.IndexByte(base[end:], '/'); next >= 0 {
			end += next
		} else {
			end = len(base)
		}
		if path := base[:end]; opts.ignores.skips(path, path[strings.LastIndexByte(path, '/')+1:]) {
			opts.all = true
			return opts
		}
	}
	return opts
}

// ignoresOf adds the rules of a directory on the way to where a walk starts.
func (l *Local) ignoresOf(ctx context.Context, dir string, known *ignores) *ignores {
	found, err := l.resolve(ctx, joinPath(dir, ignoreFile), how{})
	if err != nil {
		return known
	}
	defer found.close()
	if found.info == nil || !found.info.Mode().IsRegular() {
		return known
	}
	return known.within(found.dir, dir, found.info)
}

func depthOf(cleaned string) int {
	if cleaned == "." {
		return 0
	}
	return strings.Count(cleaned, "/") + 1
}

// walkTree visits everything below dir: names in order, a directory before what
// is in it. It follows no links and shows nothing that is reserved. Directories
// that cannot be read, or vanish meanwhile, are passed over.
func walkTree(ctx context.Context, dir *os.Root, opts walkOptions, visit func(treeEntry) error) error {
	if opts.depth < 1 {
		opts.depth = 1 // whoever names a directory sees what is in it
	}
	if opts.ignores == nil {
		opts.ignores = newIgnores(nil)
	}
	w := treeWalk{ctx, opts, visit}
	err := w.dir(dir, "", opts.ignores, 1)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

type treeWalk struct {
	ctx   context.Context
	opts  walkOptions
	visit func(treeEntry) error
}

// dir visits the entries of a directory. ignored is nil in a folder that is ignored.
func (w *treeWalk) dir(dir *os.Root, prefix string, ignored *ignores, depth int) error {
	entries, err := readDir(dir)
	if err != nil {
		if prefix != "" && passable(err) {
			return nil
		}
		return err
	}
	if !w.opts.unsorted {
		sortInfos(entries, w.opts.dirsFirst)
	}
	ignored = w.ignoredHere(dir, entries, prefix, ignored)
	for _, info := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		entry := treeEntry{path: prefix + info.Name(), name: info.Name(), info: info, dir: dir, ignored: ignored == nil}
		if err := w.entry(entry, ignored, depth); err != nil {
			return err
		}
	}
	return nil
}

// ignoredHere adds the rules of a directory's own ignore file.
func (w *treeWalk) ignoredHere(dir *os.Root, entries []fs.FileInfo, prefix string, ignored *ignores) *ignores {
	i := slices.IndexFunc(entries, func(e fs.FileInfo) bool { return e.Name() == ignoreFile && e.Mode().IsRegular() })
	if ignored == nil || w.opts.flat || i < 0 {
		return ignored
	}
	here := w.opts.base
	if prefix != "" {
		here = joinPath(here, strings.TrimSuffix(prefix, "/"))
	}
	return ignored.within(dir, here, entries[i])
}

// entry visits one entry, and what is in it.
func (w *treeWalk) entry(entry treeEntry, ignored *ignores, depth int) error {
	enter := entry.info.IsDir() && !w.opts.flat
	if enter && ignored != nil && ignored.skips(joinPath(w.opts.base, entry.path), entry.name) {
		ignored, enter = nil, w.opts.all
	}
	entry.tooDeep = enter && depth > w.opts.depth
	err := w.visit(entry)
	switch {
	case errors.Is(err, errSkipDir):
		return nil
	case err != nil || !enter || entry.tooDeep:
		return err
	}
	return w.into(entry, ignored, depth+1)
}

func (w *treeWalk) into(entry treeEntry, ignored *ignores, depth int) error {
	sub, err := openDir(entry.dir, entry.name, entry.info)
	if err != nil {
		if passable(err) {
			return nil
		}
		return err
	}
	defer sub.Close()
	return w.dir(sub, entry.path+"/", ignored, depth)
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
		if isTemp(entry.Name()) && time.Since(info.ModTime()) > staleTemp {
			// Failing is harmless: the next listing tries again.
			_ = removeTree(context.Background(), dir, entry.Name())
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

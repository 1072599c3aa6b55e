package workspace

import (
	"context"
	"io/fs"
	"os"
	"strings"
)

// maxCensus bounds how many entries of a project are counted.
const maxCensus = 1_000_000

// census is what a count of a tree finds. Files in folders that are ignored count
// with their bytes alone: installed packages are many, and the disk is full of them
// all the same.
type census struct {
	change
	ignored int // files in folders that are ignored, which change leaves out
	denied  []deniedEntry
	large   []string // paths of files over the size limit, a few; none in folders that are ignored
}

// maxLarge is how many files over the size limit are named.
const maxLarge = 20

// deniedEntry is a file or directory that is there and has a denied name.
type deniedEntry struct {
	path string
	id   fileID
	deep bool // it is denied since nobody looks so deep
}

// fileID tells one file from another while both are there.
type fileID struct{ dev, ino uint64 }

func idOf(info fs.FileInfo) fileID {
	node := inodeOf(info)
	return fileID{node.dev, node.ino}
}

// takeCensus counts what is below a directory and finds the denied names. Of a tree
// with very many entries it counts some; where names are denied it fails then.
func takeCensus(ctx context.Context, dir *os.Root, opts walkOptions, limits Limits) (found census, err error) {
	opts.all, opts.unsorted = true, true
	if opts.ignores == nil {
		opts.ignores = newIgnores(limits.SkipFolders)
	}
	seen, within := 0, "\x00"
	err = walkTree(ctx, dir, opts, func(e treeEntry) error {
		if seen++; seen > maxCensus {
			if len(limits.DeniedNames) > 0 {
				return Errorf(CodeQuotaExceeded, "",
					"the project has more than %d files and folders: which of them are denied "+
						"(workspace.denied_names) cannot be told", maxCensus)
			}
			return errStop
		}
		if e.info.Mode().IsRegular() {
			found.bytes += e.info.Size()
			if e.ignored {
				found.ignored++
			} else {
				found.files++
				if limits.TooLarge(e.info.Size()) && len(found.large) < maxLarge {
					found.large = append(found.large, joinPath(opts.base, e.path))
				}
			}
		}
		if len(limits.DeniedNames) == 0 || strings.HasPrefix(e.path, within) {
			return nil
		}
		path := joinPath(opts.base, e.path)
		if _, denied := limits.denies(path); denied || e.tooDeep {
			found.denied = append(found.denied, deniedEntry{path: path, id: idOf(e.info), deep: !denied})
			within = e.path + "/"
		}
		return nil
	})
	return found, err
}

// Masked are the paths in the project that no program of a tool may see: those with
// denied names, and directories that are nested too deep to be looked into.
func (l *Local) Masked(ctx context.Context) ([]string, error) {
	if len(l.limits().DeniedNames) == 0 {
		return nil, nil
	}
	l.usage.mu.Lock()
	defer l.usage.mu.Unlock()
	if err := l.recount(ctx); err != nil {
		return nil, err
	}
	var paths []string
	for _, one := range l.usage.denied {
		paths = append(paths, one.path)
	}
	return paths, nil
}

// Visit is a program of a tool at work in the project.
type Visit struct {
	l      *Local
	before map[fileID]bool
	paths  map[string]bool
	large  map[string]bool
}

// Left is what a program left that it may not.
type Left struct {
	Over    error    // quota_exceeded, where the project is over a limit
	Removed []string // paths that it made although their names are denied: they are in the trash
	Large   []string // paths of files that are over the size limit since, a few: file tools cannot change them
}

// Enter is called before a program of a tool runs in the project, and Leave of what
// it returns behind it.
func (l *Local) Enter(ctx context.Context) (*Visit, error) {
	limits := l.limits()
	if !limits.countsFiles() && len(limits.DeniedNames) == 0 {
		return &Visit{l: l}, nil
	}
	u := &l.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	known, before := !u.counted.IsZero(), change{u.files, u.bytes}
	if err := l.recountWith(ctx, limits); err != nil {
		return nil, err
	}
	if l.inPlace && known && u.commands == 0 {
		// Nobody but people was at work in between.
		u.base = u.base.plus(change{u.files, u.bytes}.minus(before))
	}
	u.commands++
	u.allowed = u.used()
	v := &Visit{l: l, before: map[fileID]bool{}, paths: map[string]bool{}, large: map[string]bool{}}
	for _, path := range u.large {
		v.large[path] = true
	}
	for _, one := range u.denied {
		v.before[one.id], v.paths[one.path] = true, true
	}
	return v, nil
}

// recountWith counts around a command; where names are denied the count must be new.
func (l *Local) recountWith(ctx context.Context, limits Limits) error {
	if len(limits.DeniedNames) > 0 {
		return l.recount(ctx)
	}
	return l.recountFor(ctx, true)
}

// Leave says what the program left.
func (v *Visit) Leave(ctx context.Context, actor Actor) (left Left, err error) {
	if v == nil || v.paths == nil {
		return left, nil
	}
	limits := v.l.limits()
	u := &v.l.usage
	u.mu.Lock()
	u.commands--
	err = v.l.recountWith(ctx, limits)
	denied, large := u.denied, u.large
	left.Over = u.tooMuch(limits, change{})
	u.mu.Unlock()
	if err != nil {
		return Left{}, err
	}
	for _, path := range large {
		if !v.large[path] {
			left.Large = append(left.Large, path)
		}
	}
	for _, one := range denied {
		if one.deep || v.paths[one.path] || v.before[one.id] {
			continue
		}
		if err := v.l.quarantine(ctx, one.path, actor); err != nil {
			return left, err
		}
		left.Removed = append(left.Removed, one.path)
	}
	return left, nil
}

// quarantine moves something with a denied name to the trash.
func (l *Local) quarantine(ctx context.Context, path string, actor Actor) error {
	free := &Local{dir: l.dir, trash: l.trash, limits: func() Limits { return Limits{} }}
	err := free.Delete(ctx, path, DeleteOptions{Recursive: true, Actor: actor})
	if IsCode(err, CodeNotFound) {
		return nil
	}
	return err
}

package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

const (
	// removeDepth is how many directories in each other removeTree keeps open.
	removeDepth = 32
	// maxRefused is how often a directory may turn out to be not empty.
	maxRefused = 100
)

// removeTree removes a file, or a directory with everything in it; that nothing is
// there is no error. What is nested deeply is moved up first, so that neither the
// time nor the open files grow with the depth.
func removeTree(ctx context.Context, dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return dir.Remove(name)
	}
	top, err := openDir(dir, name, info)
	if err != nil {
		return err
	}
	defer top.Close()
	r := treeRemoval{ctx: ctx, top: top}
	for {
		r.again = false
		if err := r.empty(top, 1); err != nil {
			return err
		}
		if r.again {
			continue // what was moved up is an entry of the top by now
		}
		err := dir.Remove(name)
		if r.refused++; !errors.Is(err, fs.ErrExist) || r.refused > maxRefused {
			return err
		}
	}
}

type treeRemoval struct {
	ctx   context.Context
	top   *os.Root
	again bool // there is more to remove in the top
	// refused counts directories that somebody fills while they are removed.
	refused int
}

// empty removes all that is in a directory, some hundred entries at a time.
func (r *treeRemoval) empty(dir *os.Root, depth int) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(512)
		for _, entry := range entries {
			if err := r.entry(dir, entry, depth); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *treeRemoval) entry(dir *os.Root, entry fs.DirEntry, depth int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	name := entry.Name()
	if !entry.IsDir() {
		return dir.Remove(name)
	}
	if depth >= removeDepth {
		r.again = true
		return renameNew(dir, name, r.top, tempPrefix+randomName())
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	sub, err := openDir(dir, name, info)
	if err != nil {
		return err
	}
	err = r.empty(sub, depth+1)
	sub.Close()
	if err != nil {
		return err
	}
	err = dir.Remove(name)
	if errors.Is(err, fs.ErrExist) && r.refused < maxRefused {
		r.refused++
		r.again = true
		return nil
	}
	return err
}

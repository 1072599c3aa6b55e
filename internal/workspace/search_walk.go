package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// searchWalk goes through a Tree as walkTree goes through a directory of the disk.
type searchWalk struct {
	Search
	ctx       context.Context
	flat      bool
	dirsFirst bool
	all       bool // into .git and ignored folders as well
	visit     func(e Entry, tooDeep bool) error
}

// walk visits everything below a cleaned directory: names in order, a directory
// before what is in it.
func (w *searchWalk) walk(base string, visit func(e Entry, tooDeep bool) error) error {
	w.visit = visit
	rules := newIgnores(w.Limits.SkipFolders)
	if !w.flat {
		rules = w.rulesAbove(base, rules)
	}
	depth := max(1, w.Limits.depth()-depthOf(base))
	err := w.dir(base, rules, depth)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// rulesAbove reads the ignore files on the way to where a walk starts. A walk that
// starts in a folder that is ignored ignores nothing.
func (w *searchWalk) rulesAbove(base string, rules *ignores) *ignores {
	if base == "." {
		return rules
	}
	parent := "."
	for name := range strings.SplitSeq(base, "/") {
		children, err := w.Tree.Children(w.ctx, parent)
		if err != nil {
			return rules
		}
		rules = w.rulesOf(parent, children, rules)
		parent = joinPath(parent, name)
		if rules.skips(parent, name) {
			w.all = true
			return rules
		}
	}
	return rules
}

// rulesOf adds the rules of a directory's own ignore file.
func (w *searchWalk) rulesOf(dir string, children []Entry, rules *ignores) *ignores {
	i := slices.IndexFunc(children, func(e Entry) bool { return e.Name == ignoreFile && e.Type == TypeFile })
	if i < 0 {
		return rules
	}
	content, err := w.Tree.Content(w.ctx, children[i])
	if err != nil {
		return rules // a rule that cannot be read keeps nothing from being found
	}
	defer content.Close()
	return rules.read(content, dir)
}

// dir visits the entries of a directory. rules is nil in a folder that is ignored.
func (w *searchWalk) dir(dir string, rules *ignores, depth int) error {
	children, err := w.Tree.Children(w.ctx, dir)
	if err != nil {
		return err
	}
	slices.SortFunc(children, func(a, b Entry) int {
		if isDir := a.Type == TypeDirectory; w.dirsFirst && isDir != (b.Type == TypeDirectory) {
			if isDir {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	if rules != nil && !w.flat {
		rules = w.rulesOf(dir, children, rules)
	}
	for _, child := range children {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := w.entry(child, rules, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry visits one entry, and what is in it.
func (w *searchWalk) entry(e Entry, rules *ignores, depth int) error {
	enter := e.Type == TypeDirectory && !w.flat
	if enter && rules != nil && rules.skips(e.Path, e.Name) {
		rules, enter = nil, w.all
	}
	tooDeep := enter && depth == 0
	err := w.visit(e, tooDeep)
	switch {
	case errors.Is(err, errSkipDir):
		return nil
	case err != nil || !enter || tooDeep:
		return err
	}
	err = w.dir(e.Path, rules, depth-1)
	if IsCode(err, CodeNotFound) || IsCode(err, CodeNotADirectory) {
		return nil // it vanished meanwhile
	}
	return err
}

package remote

import (
	"path"
	"strings"
	"time"

	"nanoclaw/internal/workspace"
)

// Kinds of changes.
const (
	opPut    = "put"   // a file, with its parents
	opMkdir  = "mkdir" // with its parents
	opRemove = "rm"    // with everything below
	opMove   = "mv"    // to a new place, with its parents
)

// op is one change of a tree. Paths are bytes: a name need not be UTF-8.
type op struct {
	Kind string `json:"op"`
	Path []byte `json:"path"`
	To   []byte `json:"to,omitempty"`
	File *file  `json:"file,omitempty"`
	Time int64  `json:"time,omitempty"` // ns; 0: that of the record
}

// file is what is known of a file.
type file struct {
	Content    string `json:"content"` // id
	Size       int64  `json:"size"`
	ETag       string `json:"etag"`
	Binary     bool   `json:"binary,omitempty"`
	Executable bool   `json:"executable,omitempty"`
}

// node is a file or a directory.
type node struct {
	children map[string]*node // nil: a file
	file     file
	modified int64  // ns
	version  uint64 // of the last change to it or below it
}

// tree is a namespace as the journal up to seq describes it.
type tree struct {
	root  *node
	seq   uint64
	files int
	bytes int64
	ids   [64]string // of the last records
}

func newTree() *tree { return &tree{root: &node{children: map[string]*node{}}} }

// find returns what is at a cleaned path; nil: nothing is. belowFile says that a file
// is on the way.
func (t *tree) find(cleaned string) (found *node, belowFile bool) {
	at := t.root
	if cleaned == "." {
		return at, false
	}
	for name := range strings.SplitSeq(cleaned, "/") {
		if at.children == nil {
			return nil, true
		}
		next, there := at.children[name]
		if !there {
			return nil, false
		}
		at = next
	}
	return at, false
}

// look is find with the errors of an operation that needs something there.
func (t *tree) look(name, cleaned string) (*node, error) {
	switch found, belowFile := t.find(cleaned); {
	case belowFile:
		return nil, workspace.Errorf(workspace.CodeNotADirectory, name, "a name in the path is a file, not a directory")
	case found == nil:
		return nil, workspace.Errorf(workspace.CodeNotFound, name, "there is no such file or directory")
	default:
		return found, nil
	}
}

// entry describes a node at a cleaned path.
func (n *node) entry(cleaned string) workspace.Entry {
	e := workspace.Entry{Name: path.Base(cleaned), Path: cleaned, Type: workspace.TypeDirectory,
		Modified: time.Unix(0, n.modified).UTC()}
	if n.children == nil {
		e.Type, e.Size, e.Executable = workspace.TypeFile, n.file.Size, n.file.Executable
	}
	return e
}

// apply makes a record's changes. They were possible for the record's author, who saw
// the same tree.
func (t *tree) apply(r record, seq uint64) {
	for _, o := range r.Ops {
		when := r.Time
		if o.Time != 0 {
			when = o.Time
		}
		t.change(o, when, seq)
	}
	t.seq = seq
	t.ids[seq%uint64(len(t.ids))] = r.ID
}

func (t *tree) change(o op, when int64, seq uint64) {
	switch where := string(o.Path); o.Kind {
	case opPut:
		t.put(where, &node{file: *o.File, modified: when, version: seq}, when, seq)
	case opMkdir:
		t.dirs(where, when, seq)
	case opRemove:
		t.take(where, when, seq)
	case opMove:
		if moved := t.take(where, when, seq); moved != nil {
			moved.version = seq
			t.put(string(o.To), moved, when, seq)
		}
	}
}

// dirs makes a directory with its parents.
func (t *tree) dirs(cleaned string, when int64, seq uint64) *node {
	at := t.root
	at.version = seq
	if cleaned == "." {
		return at
	}
	for name := range strings.SplitSeq(cleaned, "/") {
		next, there := at.children[name]
		if !there {
			next = &node{children: map[string]*node{}, modified: when}
			at.children[name] = next
			at.modified = when
		}
		next.version = seq
		at = next
	}
	return at
}

func (t *tree) put(cleaned string, n *node, when int64, seq uint64) {
	parent, name := t.dirs(path.Dir(cleaned), when, seq), path.Base(cleaned)
	if old, there := parent.children[name]; there {
		t.count(old, -1)
	} else {
		parent.modified = when
	}
	parent.children[name] = n
	t.count(n, 1)
}

// take removes what is at a path and returns it.
func (t *tree) take(cleaned string, when int64, seq uint64) *node {
	found, _ := t.find(cleaned)
	if found == nil || cleaned == "." {
		return nil
	}
	parent := t.dirs(path.Dir(cleaned), when, seq)
	delete(parent.children, path.Base(cleaned))
	parent.modified = when
	t.count(found, -1)
	return found
}

// count adds what is in a node to the numbers of the tree, or takes it away.
func (t *tree) count(n *node, sign int) {
	n.walk("", func(_ string, one *node) {
		if one.children == nil {
			t.files += sign
			t.bytes += int64(sign) * one.file.Size
		}
	})
}

// walk visits a node and everything below, parents first, in no order.
func (n *node) walk(at string, visit func(path string, n *node)) {
	visit(at, n)
	for name, child := range n.children {
		child.walk(path.Join(at, name), visit)
	}
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// OutputPrefix is where tools find long outputs of commands and pictures that code
// made: a path like any other, but the files lie in the server's own data, so that
// nobody's project fills with them. They can be read, searched, moved and deleted,
// but not written.
const OutputPrefix = ".tool-output"

// outputsMost is how many bytes of a project's outputs are kept; the oldest go first.
const outputsMost = 256 << 20

// WithOutputs keeps outputs in a directory, which is made when it is needed. It is
// called before the first other call.
func (l *Local) WithOutputs(dir string) *Local {
	l.outputs = dir
	return l
}

// outputPath is the rest of a cleaned path behind OutputPrefix.
func (l *Local) outputPath(cleaned string) (rest string, found bool) {
	if l.outputs == "" {
		return "", false
	}
	if cleaned == OutputPrefix {
		return ".", true
	}
	return strings.CutPrefix(cleaned, OutputPrefix+"/")
}

// PutOutput stores an output and returns its path for tools.
func (l *Local) PutOutput(ctx context.Context, name string, content io.Reader) (path string, err error) {
	if l.outputs == "" {
		return "", Errorf(CodeInternal, name, "the project has no place for outputs")
	}
	if err := os.MkdirAll(l.outputs, trashDirMode); err != nil {
		return "", diskError("", fmt.Errorf("make the place of outputs: %w", err))
	}
	if _, err := NewLocal(l.outputs, nil).Upload(ctx, name, content, WriteOptions{}); err != nil {
		return "", err
	}
	if err := l.trimOutputs(ctx); err != nil {
		return "", diskError("", err)
	}
	return OutputPrefix + "/" + name, nil
}

// trimOutputs removes the oldest outputs of a project that has too many.
func (l *Local) trimOutputs(ctx context.Context) error {
	root, err := os.OpenRoot(l.outputs)
	if err != nil {
		return err
	}
	defer root.Close()
	found := map[string]int64{}
	var total int64
	err = walkTree(ctx, root, walkOptions{base: ".", depth: noDepth, all: true}, func(e treeEntry) error {
		if e.info.Mode().IsRegular() {
			top, _, _ := strings.Cut(e.path, "/")
			found[top] += e.info.Size()
			total += e.info.Size()
		}
		return nil
	})
	if err != nil || total <= outputsMost {
		return err
	}
	entries, err := readDir(root)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, entry := range entries {
		if total <= outputsMost {
			break
		}
		if err := removeTree(ctx, root, entry.Name()); err != nil {
			return err
		}
		total -= found[entry.Name()]
	}
	return nil
}

// outputsDir is where the outputs of a project lie.
func (s Settings) outputsDir(projectID string) string {
	return filepath.Join(s.DataDir, "tool-output", projectID)
}

// SweepOutputs removes outputs that are older, in all projects, and returns their number.
func (p *Projects) SweepOutputs(ctx context.Context, olderThan time.Time) (removed int64, err error) {
	projects, err := os.ReadDir(p.current().outputsDir(""))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("list the outputs of tools: %w", err)
	}
	for _, project := range projects {
		n, err := sweepOutputs(ctx, p.current().outputsDir(project.Name()), olderThan)
		removed += n
		if err != nil {
			return removed, fmt.Errorf("sweep the outputs of project %s: %w", project.Name(), err)
		}
	}
	return removed, nil
}

func sweepOutputs(ctx context.Context, dir string, olderThan time.Time) (removed int64, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	entries, err := readDir(root)
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		if entry.ModTime().Before(olderThan) {
			if err := removeTree(ctx, root, entry.Name()); err != nil {
				return removed, err
			}
			removed++
		}
	}
	return removed, nil
}

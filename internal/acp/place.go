package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// place is where a task's agent works: the project's directory where it has one
// on this disk, else an empty directory that stands for it.
type place struct {
	dir   string
	roots []string             // dir, as it is called and with its links resolved
	files workspace.Filesystem // nil: the conversation has no project
	close func()
}

func (a *Agents) open(ctx context.Context, projectID string) (*place, error) {
	p := &place{close: func() {}}
	if projectID != "" {
		files, err := a.Files.Open(ctx, projectID)
		if err != nil {
			return nil, err
		}
		if _, sandboxed := files.(workspace.SandboxFilesystem); sandboxed {
			return nil, tools.Errorf(tools.CodeUnavailable,
				"the files of this project are in a sandbox, and external agents run outside of it (workspace.mode)")
		}
		p.files = files
		if local, ok := workspace.LocalOf(files); ok {
			p.dir = local.Dir()
		}
	}
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "nanoclaw-agent-")
		if err != nil {
			return nil, fmt.Errorf("make a directory for an external agent: %w", err)
		}
		p.dir = dir
		p.close = func() {
			if err := os.RemoveAll(dir); err != nil {
				a.Logger.Warn("could not remove the directory of an external agent", "dir", dir, "error", err)
			}
		}
	}
	p.roots = []string{filepath.Clean(p.dir)}
	if resolved, err := filepath.EvalSymlinks(p.dir); err == nil && resolved != p.roots[0] {
		p.roots = append(p.roots, resolved)
	}
	return p, nil
}

// relative is a path of the agent's as the project's Filesystem knows it. The
// protocol wants absolute paths; a relative one is taken as the project's.
func (p *place) relative(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return path, nil
	}
	for _, root := range p.roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return filepath.ToSlash(rel), nil
		}
	}
	return "", workspace.Errorf(workspace.CodeAccessDenied, path,
		"it lies outside the project: only files below the working directory can be used")
}

// ReadTextFile implements acp.Client.
func (t *task) ReadTextFile(ctx context.Context,
	params acp.ReadTextFileRequest) (_ acp.ReadTextFileResponse, err error) {
	defer t.guarded(&err)()
	if t.place.files == nil {
		return acp.ReadTextFileResponse{}, errNoFiles
	}
	path, err := t.place.relative(params.Path)
	if err != nil {
		return acp.ReadTextFileResponse{}, t.refused("read", params.Path, err)
	}
	content, err := t.place.files.Read(ctx, path, 0, 0)
	if err != nil {
		return acp.ReadTextFileResponse{}, t.refused("read", params.Path, err)
	}
	if !utf8.Valid(content.Data) {
		return acp.ReadTextFileResponse{}, invalid(fmt.Errorf("%s is not a text in UTF-8", params.Path))
	}
	return acp.ReadTextFileResponse{Content: lines(string(content.Data), params.Line, params.Limit)}, nil
}

// lines is a part of a text: limit lines from the 1-based line first on.
func lines(text string, first, limit *int) string {
	if first == nil && limit == nil {
		return text
	}
	all := strings.SplitAfter(text, "\n")
	from, to := 0, len(all)
	if first != nil {
		from = min(max(*first-1, 0), len(all))
	}
	if limit != nil && *limit >= 0 && *limit < to-from {
		to = from + *limit
	}
	return strings.Join(all[from:to], "")
}

// WriteTextFile implements acp.Client.
func (t *task) WriteTextFile(ctx context.Context,
	params acp.WriteTextFileRequest) (_ acp.WriteTextFileResponse, err error) {
	defer t.guarded(&err)()
	if t.place.files == nil {
		return acp.WriteTextFileResponse{}, errNoFiles
	}
	path, err := t.place.relative(params.Path)
	if err != nil {
		return acp.WriteTextFileResponse{}, t.refused("write", params.Path, err)
	}
	written, err := t.place.files.Write(ctx, path, []byte(params.Content), workspace.WriteOptions{})
	if err != nil {
		return acp.WriteTextFileResponse{}, t.refused("write", params.Path, err)
	}
	t.wrote(tools.ExternalFileNote{Path: written.Path, Created: written.Created})
	return acp.WriteTextFileResponse{}, nil
}

var errNoFiles = acp.NewInvalidRequest(
	map[string]any{"error": "this conversation has no project, so there are no files"})

// refused tells the agent why a file cannot be used, and notes what was not allowed.
func (t *task) refused(what, path string, err error) error {
	var failed *workspace.Error
	if errors.As(err, &failed) && failed.Code == workspace.CodeAccessDenied {
		t.refuse(what+" "+cut(path, 300), "access denied: it is not one of the project's files")
	}
	return invalid(err)
}

func invalid(err error) error {
	return acp.NewInvalidParams(map[string]any{"error": err.Error()})
}

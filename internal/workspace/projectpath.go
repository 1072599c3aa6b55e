package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CheckPath says whether a directory of the host may be a project, and returns
// it without links. It must exist, lie in one of the allowed roots (or be one),
// and neither hold nor be held by the server's data or the other projects.
func (p *Projects) CheckPath(path string) (string, error) {
	settings := p.current()
	if !filepath.IsAbs(path) {
		return "", Errorf(CodeInvalidArgument, path, "the project's path must be absolute")
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", Errorf(CodeNotFound, path, "there is no such directory")
		}
		return "", &Error{Code: CodeAccessDenied, Path: path, Message: "the directory cannot be reached", Err: err}
	}
	if !settings.allows(resolved) {
		// Whether it is a directory is told only of what is allowed.
		return "", Errorf(CodeAccessDenied, path, "the directory is in none of the configured project_roots")
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", &Error{Code: CodeAccessDenied, Path: path, Message: "the directory cannot be reached", Err: err}
	}
	if !info.IsDir() {
		return "", Errorf(CodeNotADirectory, path, "it is not a directory")
	}
	for what, taken := range map[string]string{"data_dir": settings.DataDir, "workspace_root": settings.Root} {
		if taken = evaluated(taken); within(resolved, taken) || within(taken, resolved) {
			return "", Errorf(CodeAccessDenied, path, "the directory overlaps the server's %s: move one of them", what)
		}
	}
	return resolved, nil
}

func (s Settings) allows(resolved string) bool {
	for _, root := range s.AllowedRoots {
		absolute, err := filepath.Abs(root)
		if err == nil && within(resolved, evaluated(absolute)) {
			return true
		}
	}
	return false
}

// evaluated resolves the links of an absolute path as far as it exists.
func evaluated(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(evaluated(parent), filepath.Base(path))
}

// within says whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

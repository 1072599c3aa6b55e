package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// protectedNames are files of a project that programs outside the sandbox run
// or obey: whoever writes them runs code as the user the next time.
var protectedNames = []string{
	".nanoclaw", ".git/hooks", ".git/config", ".git/info/attributes", ".githooks", ".husky", ".gitmodules", ".gitconfig",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc",
	".vscode", ".idea", ".mcp.json", ".ripgreprc", ".pre-commit-config.yaml", ".npmrc", ".ssh",
}

const (
	// protectDepth is how deep below the project repositories of their own are looked for.
	protectDepth = 3
	// protectEntries bounds the search in a project of very many directories.
	protectEntries = 2000
)

// protection is what is bound over the project: read-only names, and before them
// the directories that hold them. A directory that something is mounted in can
// still be renamed, which would leave its name free; a mount point cannot.
type protection struct {
	path     string // from the project's root
	readOnly bool
	file     *os.File
}

// protect opens the protected names that a project has. They are opened without
// following links: a link that an earlier session left would show the sandbox
// what it leads to.
func protect(project string) (found []protection, err error) {
	root, err := unix.Open(project, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", err)
	}
	defer unix.Close(root)
	defer func() {
		if err != nil {
			closeProtected(found)
		}
	}()
	held := map[string]bool{}
	for _, dir := range repositories(project) {
		for _, name := range protectedNames {
			if dir != "." && !strings.HasPrefix(name, ".git/") {
				continue
			}
			path := filepath.Join(dir, name)
			file, err := openBeneath(root, path)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EXDEV):
				continue // nothing there, or a link: what it leads to is not in the sandbox
			case err != nil:
				return found, fmt.Errorf("protect %s: %w", path, err)
			}
			found = append(found, protection{path: path, readOnly: true, file: file})
			for parent := filepath.Dir(path); parent != "." && !held[parent]; parent = filepath.Dir(parent) {
				file, err := openBeneath(root, parent)
				if err != nil {
					return found, fmt.Errorf("protect %s: %w", parent, err)
				}
				held[parent] = true
				found = append(found, protection{path: parent, file: file})
			}
		}
	}
	slices.SortFunc(found, func(a, b protection) int { return strings.Compare(a.path, b.path) })
	return found, nil
}

func openBeneath(root int, path string) (*os.File, error) {
	fd, err := unix.Openat2(root, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// repositories are the directories of a project that hold a .git, and its root.
func repositories(project string) []string {
	found := []string{"."}
	seen := 0
	// What cannot be read is not looked into: it has no protection of its own, and
	// the sandbox cannot read it either.
	_ = filepath.WalkDir(project, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > protectEntries {
			return filepath.SkipAll
		}
		if err != nil {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(project, path)
		if err != nil || !entry.IsDir() || relative == "." {
			return nil
		}
		if entry.Name() == ".git" {
			if dir := filepath.Dir(relative); dir != "." {
				found = append(found, dir)
			}
			return filepath.SkipDir
		}
		if entry.Name() == "node_modules" || strings.Count(relative, "/") >= protectDepth {
			return filepath.SkipDir
		}
		return nil
	})
	return found
}

func closeProtected(protected []protection) {
	for _, one := range protected {
		_ = one.file.Close() // opened for its place only
	}
}

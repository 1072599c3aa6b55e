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
// or obey: whoever writes them runs code as the user the next time. They are
// protected in every directory.
var protectedNames = []string{
	".nanoclaw", ".git/hooks", ".git/config", ".git/info/attributes", ".githooks", ".husky", ".gitmodules",
	".gitconfig",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".envrc",
	".vscode", ".idea", ".mcp.json", ".ripgreprc", ".pre-commit-config.yaml", ".npmrc", ".ssh",
	".yarnrc.yml", ".pnpmfile.cjs", ".cargo/config.toml", ".cargo/config", ".vimrc", ".exrc", ".gdbinit",
	".devcontainer", ".devcontainer.json",
	".mise.toml", ".claude", ".cursor", ".gemini", ".codex",
}

// isProtected says whether a path ends in a protected name.
func isProtected(path string) bool {
	parent, base := filepath.Split(path)
	if rules, ok := protectedEndings[base]; ok {
		for _, before := range rules {
			if strings.HasSuffix("/"+parent, before) {
				return true
			}
		}
	}
	return false
}

// protectedEndings are what stands before the last part of each name, with slashes
// around it.
var protectedEndings = func() map[string][]string {
	endings := map[string][]string{}
	for _, name := range protectedNames {
		parent, base := filepath.Split(name)
		endings[base] = append(endings[base], "/"+parent)
	}
	return endings
}()

const (
	// protectDepth is how deep below the project protected names are looked for.
	protectDepth = 8
	// protectEntries bounds the search in a project of very many files, and
	// protectMost what is found. The disarmer looks after the rest.
	protectEntries = 20_000
	protectMost    = 500
	// maskMost is how much can be hidden: where there is more nothing starts.
	maskMost = 1000
)

// protection is what is bound over the project: read-only and hidden names, and
// before them the directories that hold them. A directory that something is mounted
// in can still be renamed, which would leave its name free; a mount point cannot.
type protection struct {
	path     string // from the project's root
	readOnly bool
	masked   bool // nothing can be read there either; readOnly as well
	dir      bool // of a masked one: it is a directory
	file     *os.File
}

// protect opens the protected names that a project has and the paths to be masked.
// They are opened without following links: a link that an earlier session left would
// show the sandbox what it leads to.
func protect(project string, masked []string) (found []protection, err error) {
	root, err := unix.Open(project, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", err)
	}
	defer unix.Close(root)
	p := protecting{root: root, held: map[string]bool{}}
	defer func() {
		if err != nil {
			closeProtected(p.found)
		}
	}()
	if len(masked) > maskMost {
		return nil, fmt.Errorf("the project has %d files with denied names, and at most %d can be hidden: narrow "+
			"workspace.denied_names", len(masked), maskMost)
	}
	hidden := map[string]bool{}
	for _, path := range masked {
		hidden[path] = true
		if err := p.add(path, true); err != nil {
			return nil, err
		}
	}
	for _, path := range protectedIn(project, hidden) {
		if err := p.add(path, false); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.found, func(a, b protection) int { return strings.Compare(a.path, b.path) })
	return p.found, nil
}

type protecting struct {
	root  int
	found []protection
	held  map[string]bool
}

// add opens a path and the directories on the way to it.
func (p *protecting) add(path string, mask bool) error {
	file, err := openBeneath(p.root, path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR),
		errors.Is(err, unix.EXDEV):
		return nil // nothing there, or a link: what it leads to is not in the sandbox
	case err != nil:
		return fmt.Errorf("protect %s: %w", path, err)
	}
	one := protection{path: path, readOnly: true, masked: mask, file: file}
	if mask {
		info, err := file.Stat()
		if err != nil {
			_ = file.Close() // opened for its place only
			return fmt.Errorf("protect %s: %w", path, err)
		}
		one.dir = info.IsDir()
	}
	p.found = append(p.found, one)
	for parent := filepath.Dir(path); parent != "." && !p.held[parent]; parent = filepath.Dir(parent) {
		file, err := openBeneath(p.root, parent)
		if err != nil {
			return fmt.Errorf("protect %s: %w", parent, err)
		}
		p.held[parent] = true
		p.found = append(p.found, protection{path: parent, file: file})
	}
	return nil
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

// protectedIn are the paths in a project that end in protected names, but for what is
// in hidden directories.
func protectedIn(project string, hidden map[string]bool) (found []string) {
	seen := 0
	// What cannot be read is not looked into: it has no protection of its own, and
	// the sandbox cannot read it either.
	_ = filepath.WalkDir(project, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > protectEntries || len(found) == protectMost {
			return filepath.SkipAll
		}
		if err != nil {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(project, path)
		if err != nil || relative == "." {
			return nil
		}
		skip := func() error {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		switch {
		case hidden[relative]:
			return skip()
		case isProtected(relative):
			found = append(found, relative)
			return skip()
		case entry.Name() == "node_modules", strings.Count(relative, "/") >= protectDepth, insideGit(relative) &&
			entry.Name() != "info":
			return skip()
		}
		return nil
	})
	return found
}

// insideGit says whether a path lies in a .git directory: few names there are
// protected, and the objects beside them are many.
func insideGit(path string) bool { return strings.Contains("/"+filepath.Dir(path)+"/", "/.git/") }

func closeProtected(protected []protection) {
	for _, one := range protected {
		_ = one.file.Close() // opened for its place only
	}
}

package workspace

import (
	"path"
	"strings"
)

const (
	// ReservedDir is the server's own directory in a project.
	// It is in no listing and no caller reaches it by a path.
	ReservedDir = ".nanoclaw"

	// tempPrefix begins the names of files that are being written.
	tempPrefix = ReservedDir + "-tmp-"

	maxPathLength = 4096 // bytes, as PATH_MAX
)

// CleanPath checks a caller's path (FS1) and returns it in its shortest form:
// relative, with slashes, "." for the root. It looks at the text alone: links
// are followed later, with the same rules.
//
// A backslash is an ordinary character of a name here, but a path that would
// leave the root on a system where it separates names is refused.
func CleanPath(name string) (string, error) {
	switch {
	case name == "" || name == "/":
		return ".", nil
	case len(name) > maxPathLength:
		return "", Errorf(CodeInvalidArgument, shorten(name), "the path is longer than %d bytes", maxPathLength)
	case strings.ContainsRune(name, 0):
		return "", Errorf(CodeAccessDenied, name, "the path holds a NUL byte")
	}
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") || hasDrive(slashed) {
		return "", Errorf(CodeAccessDenied, name,
			"absolute paths are refused: give the path relative to the project's root, for example \"notes/todo.md\"")
	}
	cleaned := path.Clean(name)
	if leavesRoot(cleaned) || leavesRoot(path.Clean(slashed)) {
		return "", Errorf(CodeAccessDenied, name, "the path leaves the project")
	}
	for component := range strings.SplitSeq(cleaned, "/") {
		if isReserved(component) {
			return "", reservedError(name)
		}
	}
	return cleaned, nil
}

// CheckPath says why a path can never lead into a project, whatever the project
// holds: it looks at the text alone.
func CheckPath(name string) error {
	_, err := CleanPath(name)
	return err
}

func leavesRoot(cleaned string) bool {
	return cleaned == ".." || strings.HasPrefix(cleaned, "../")
}

// hasDrive finds "C:/", an absolute path of another system.
func hasDrive(name string) bool {
	if len(name) < 3 || name[1] != ':' || name[2] != '/' {
		return false
	}
	letter := name[0] | 0x20
	return letter >= 'a' && letter <= 'z'
}

// isReserved says whether a name is the server's own, at any depth: a directory
// inside a project may be another project's root. Case does not count, since the
// disk may ignore it.
func isReserved(name string) bool {
	return strings.EqualFold(name, ReservedDir) || isTemp(name)
}

func isTemp(name string) bool {
	return len(name) >= len(tempPrefix) && strings.EqualFold(name[:len(tempPrefix)], tempPrefix)
}

func reservedError(name string) error {
	return Errorf(CodeAccessDenied, name, "names that begin with %s are reserved for the server", ReservedDir)
}

// shorten keeps an error's path readable.
func shorten(name string) string {
	const limit = 80
	if len(name) <= limit {
		return name
	}
	return strings.ToValidUTF8(name[:limit], "") + "…"
}

// joinPath appends a name to a cleaned path.
func joinPath(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

package python

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Interpreter is the program that runs the code, and what it needs of the host
// beside the system's directories.
type Interpreter struct {
	Program string   // a path, or a name that is looked up where the code runs
	Visible []string // directories of the host, read-only
}

// FindInterpreter finds the interpreter of a configured path: that of an
// interpreter, or the directory of a virtual environment. An empty path is the
// system's python3. Nothing is run: what a virtual environment rests on is found by
// following its links.
func FindInterpreter(path string) (Interpreter, error) {
	if path == "" {
		return Interpreter{Program: "python3"}, nil
	}
	if !filepath.IsAbs(path) {
		return Interpreter{}, fmt.Errorf("the Python %q is not an absolute path", path)
	}
	program := filepath.Clean(path)
	if info, err := os.Stat(program); err == nil && info.IsDir() {
		program = filepath.Join(program, "bin", "python3")
	}
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return Interpreter{}, fmt.Errorf("find the Python %q: %w", path, err)
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return Interpreter{}, fmt.Errorf("%s is not a program", program)
	}
	found := Interpreter{Program: program}
	for at, hops := program, 0; ; hops++ {
		prefix, err := prefixOf(at)
		if err != nil {
			return Interpreter{}, err
		}
		if prefix != "" && !slices.Contains(found.Visible, prefix) {
			found.Visible = append(found.Visible, prefix)
		}
		target, err := os.Readlink(at)
		if err != nil {
			return found, nil // the end of the links
		}
		if hops > 40 {
			return Interpreter{}, fmt.Errorf("%s is a link to itself", program)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		at = target
	}
}

// prefixOf is the directory above the bin in which an interpreter lies; empty
// where that is the system's, which can be seen anyway.
func prefixOf(program string) (string, error) {
	for _, system := range []string{"/usr/", "/bin/", "/lib/", "/lib64/"} {
		if strings.HasPrefix(program, system) {
			return "", nil
		}
	}
	bin := filepath.Dir(program)
	prefix := filepath.Dir(bin)
	home, _ := os.UserHomeDir() // unknown: nothing is below it
	switch {
	case filepath.Base(bin) != "bin":
		return "", fmt.Errorf("the Python %s is in no directory bin: name a virtual environment", program)
	case prefix == "/", contains(prefix, home):
		return "", errors.New("the Python " + program + " would show all of " + prefix +
			" to the code: make a virtual environment in a directory of its own")
	}
	return prefix, nil
}

// contains says whether a path is a directory or lies below it.
func contains(dir, path string) bool {
	return path != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

package sandbox

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// setDescriptors makes files the descriptors 0, 1, 2, … of a command. What is
// not there of the first three is /dev/null.
func setDescriptors(cmd *exec.Cmd, files []*os.File) {
	for i, f := range files {
		switch {
		case i < 3 && f == nil:
		case i == 0:
			cmd.Stdin = f
		case i == 1:
			cmd.Stdout = f
		case i == 2:
			cmd.Stderr = f
		default:
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		}
	}
}

// environment is what a process finds, beside what it is given.
func environment(given map[string]string) map[string]string {
	all := map[string]string{
		"PATH": basePath, "HOME": "/tmp/home", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
		"USER": "agent", "LOGNAME": "agent", "SHELL": "/bin/bash", "TERM": "dumb",
	}
	maps.Copy(all, given)
	return all
}

const basePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// systemPath is PATH with the system's directories of programs: the usual ones,
// those below /usr in the server's own PATH, which a login shell made, and
// /usr/local/*/bin, where a server that was not started from one finds Go and others.
func systemPath() string {
	var own []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if strings.HasPrefix(dir, "/usr/") && filepath.Clean(dir) == dir {
			own = append(own, dir)
		}
	}
	// The pattern is well formed, so that there is no error.
	found, _ := filepath.Glob("/usr/local/*/bin")
	return joinPath(basePath, strings.Join(own, ":"), strings.Join(found, ":"))
}

// joinPath joins lists of directories, each directory once.
func joinPath(lists ...string) string {
	var all []string
	for _, list := range lists {
		for _, dir := range filepath.SplitList(list) {
			if dir != "" && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
	}
	return strings.Join(all, ":")
}

// withDefault is an environment in which a name has a value, unless it had one.
func withDefault(given map[string]string, name, value string) map[string]string {
	if _, said := given[name]; said {
		return given
	}
	all := map[string]string{name: value}
	maps.Copy(all, given)
	return all
}

package sandbox

import (
	"maps"
	"os"
	"os/exec"
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
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp/home", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
		"USER": "agent", "LOGNAME": "agent", "SHELL": "/bin/bash", "TERM": "dumb",
	}
	maps.Copy(all, given)
	return all
}

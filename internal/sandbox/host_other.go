//go:build !linux

package sandbox

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// startOnHost starts a process in a process group of its own. Here a process
// that leaves its group is not ended with it.
func startOnHost(spec Spec) (Process, error) {
	pipes, err := newPipes(spec.Pipes)
	if err != nil {
		return nil, err
	}
	argv := limited(spec.Argv, spec.Limits, false)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = spec.Dir, hostEnvironment(spec)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setDescriptors(cmd, pipes.theirs)
	running, err := startChild(cmd, pipes, func(c *child, grace time.Duration) {
		if grace > 0 {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // it may have ended meanwhile
			c.exited(grace)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("start a process on the host: %w", err)
	}
	return running, nil
}

func (host) Facts() []string {
	return []string{"Programs run on the host with the rights of the server: they can read and change all that it can."}
}

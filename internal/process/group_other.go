//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// attributes put the program into a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reap waits for the program's end. What it left behind stays: there is no way
// here to wait and keep the group's number taken.
func (p *Process) reap(cmd *exec.Cmd) {
	// The exit status is all that Wait can answer here, and ProcessState has it.
	_ = cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
}

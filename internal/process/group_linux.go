package process

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put the program into a process group of its own and have the
// kernel kill it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits for the program's end, kills what it left behind in its group while
// the group's number is surely its own, and takes its exit status.
func (p *Process) reap(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	p.signalGroup(syscall.SIGKILL)
	p.mu.Lock()
	defer p.mu.Unlock()
	// The exit status is all that Wait can answer here, and ProcessState has it.
	_ = cmd.Wait()
	p.reaped = true
}

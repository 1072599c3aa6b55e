package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"nanoclaw/internal/reexec"
)

// startOnHost starts a process under a supervisor: this program again, in
// supervise, which outlives the server by as long as it takes to end the tree.
func startOnHost(spec Spec) (Process, error) {
	supervisor, err := reexec.Args(superviseHelper)
	if err != nil {
		return nil, err
	}
	pipes, err := newPipes(spec.Pipes)
	if err != nil {
		return nil, err
	}
	abandon := func() {
		pipes.closeTheirs()
		pipes.closeOwn()
	}
	group, err := newCgroup(spec.Limits)
	if err != nil {
		abandon()
		return nil, err
	}
	order, orders, err := os.Pipe()
	if err != nil {
		abandon()
		group.remove()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	files := pipes.theirs
	for len(files) < 3 {
		files = append(files, nil)
	}
	files = append(files, order)
	argv := group.joining(limited(spec.Argv, spec.Limits, group != nil))
	supervisor = append(append(supervisor, fmt.Sprint(len(files)-1)), argv...)
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{"nanoclaw-supervise"}, supervisor...),
		Dir: spec.Dir, Env: hostEnvironment(spec), SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	setDescriptors(cmd, files)
	running, err := startChild(cmd, pipes, func(c *child, grace time.Duration) {
		_, _ = fmt.Fprintf(orders, "%d\n", grace.Milliseconds()) // it may have ended meanwhile
		if grace == 0 {
			_ = orders.Close()
		}
	}, func() {
		_ = orders.Close()
		group.remove()
	})
	_ = order.Close() // the supervisor has its own copy
	if err != nil {
		_ = orders.Close()
		return nil, fmt.Errorf("start a process on the host: %w", err)
	}
	running.group = group
	return running, nil
}

func (host) Facts() []string {
	return []string{
		"Programs run on the host with the rights of the server: they can read and change all that it can.",
		"Every program ends with its session, also when it left its process group or the server is killed.",
		cgroupFact(),
	}
}

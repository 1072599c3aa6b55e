package sandbox

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// child is a Process that the server started itself: the engine's front.
type child struct {
	cmd    *exec.Cmd
	pipes  *pipes
	done   chan struct{}
	exit   int
	stop   func(grace time.Duration) // ends the tree; done is closed behind it
	finish func()                    // removes what the tree leaves behind; may be nil
	once   sync.Once
	names  *disarmer // nil: nothing is made harmless
	group  *cgroup   // nil: there is none
}

var _ Process = (*child)(nil)

// startChild starts cmd. stop must make sure that cmd exits.
func startChild(cmd *exec.Cmd, p *pipes, stop func(c *child, grace time.Duration), finish func()) (*child, error) {
	c := &child{cmd: cmd, pipes: p, done: make(chan struct{}), finish: finish}
	c.stop = func(grace time.Duration) { stop(c, grace) }
	err := spawn(cmd)
	p.closeTheirs()
	if err != nil {
		p.closeOwn()
		if finish != nil {
			finish()
		}
		return nil, err
	}
	go func() {
		defer close(c.done)
		c.exit = exitCode(cmd.Wait())
	}()
	return c, nil
}

// atEnd adds to what finish does, before the process is handed out.
func (c *child) atEnd(more func()) {
	first := c.finish
	c.finish = func() {
		more()
		if first != nil {
			first()
		}
	}
}

func (c *child) Pipe(descriptor int) *Pipe { return c.pipes.own[descriptor] }
func (c *child) Done() <-chan struct{}     { return c.done }
func (c *child) ExitCode() int             { return c.exit }

// Settle implements Process.
func (c *child) Settle() {
	if c.names != nil {
		c.names.settle()
	}
}

// Load implements Process.
func (c *child) Load() Load { return c.group.load() }

// disarms lets the names of the process's project be made harmless.
func (c *child) disarms(names *disarmer) {
	if names != nil {
		c.names = names
		c.atEnd(names.finish)
	}
}

func (c *child) Stop(grace time.Duration) {
	c.once.Do(func() {
		c.stop(grace)
		<-c.done
		if c.finish != nil {
			c.finish()
		}
	})
}

func (c *child) Close() {
	c.Stop(0)
	c.pipes.closeOwn()
}

// exited says whether the first process has ended, waiting at most that long.
func (c *child) exited(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
		return false
	}
}

// exitCode is what a shell would say.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 127
		}
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

package process

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec says what to run.
type Spec struct {
	Command string // a path, or a name that is looked up in PATH
	Args    []string
	Env     map[string]string // beside PATH, HOME and LANG, which are the server's; nothing else is passed on
	Dir     string            // working directory; empty: the server's

	// Stderr is given each line of the program's error output, bounded in length
	// and number; nil: it is dropped. It is called from one goroutine.
	Stderr func(line string)
}

// Process is a program that was started. Stdin and Stdout are its ends of the
// conversation; whoever started it calls Stop.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	pid    int
	mu     sync.Mutex    // held while the group is signalled
	reaped bool          // the program's number may be another's by now
	done   chan struct{} // closed when it has ended and its error output was read
	state  *os.ProcessState
	stderr *stderrReader
}

// StartError says that a program could not be started.
type StartError struct {
	Command string
	Err     error
}

func (e *StartError) Error() string {
	if errors.Is(e.Err, exec.ErrNotFound) {
		return fmt.Sprintf("the program %q was not found in PATH: install it, or give its full path", e.Command)
	}
	return fmt.Sprintf("the program %q could not be started: %v", e.Command, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// Start runs the program. The error is a *StartError.
func Start(spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Command, spec.Args...)
	cmd.Env = environment(spec.Env)
	cmd.Dir = spec.Dir
	cmd.SysProcAttr = attributes()
	pipes, err := connect(cmd)
	if err != nil {
		return nil, &StartError{Command: spec.Command, Err: err}
	}
	p := &Process{Stdin: pipes.stdin, Stdout: pipes.stdout, done: make(chan struct{}),
		stderr: newStderrReader(spec.Stderr)}
	started := make(chan error, 1)
	go p.live(cmd, pipes, started)
	if err := <-started; err != nil {
		pipes.closeOurs()
		return nil, &StartError{Command: spec.Command, Err: err}
	}
	return p, nil
}

// live starts the program and waits for its end, all on one thread: the kernel
// kills the program when the thread that started it ends.
func (p *Process) live(cmd *exec.Cmd, pipes *pipes, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	pipes.closeTheirs()
	if err != nil {
		started <- err
		return
	}
	p.pid = cmd.Process.Pid
	var reading sync.WaitGroup
	reading.Go(func() { p.stderr.read(pipes.stderr) })
	started <- nil
	p.reap(cmd)
	p.state = cmd.ProcessState
	// A grandchild that left the group may hold the error output open.
	timer := time.AfterFunc(time.Second, func() { pipes.stderr.Close() })
	reading.Wait()
	timer.Stop()
	pipes.stderr.Close()
	close(p.done)
}

// signalGroup signals the program and what it started, as long as its number is
// surely its own. A group that is gone already is what was wanted.
func (p *Process) signalGroup(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.pid, signal)
	}
}

// PID is the program's number, and that of its group.
func (p *Process) PID() int { return p.pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ending says how the program ended, with the end of its error output: "exit
// status 1: no such option". It is empty while the program runs.
func (p *Process) Ending() string {
	select {
	case <-p.done:
	default:
		return ""
	}
	text := p.state.String()
	if last := p.stderr.last(); last != "" {
		text += ": " + last
	}
	return text
}

// Stop ends the program and all of its group, and returns when it is gone: it
// closes its input, asks it to terminate after grace, and kills it after another grace.
func (p *Process) Stop(grace time.Duration) {
	// An input that is closed already says what we want to say.
	_ = p.Stdin.Close()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if p.ended(grace) {
			break
		}
		p.signalGroup(signal)
	}
	<-p.done
	// Readers that still wait for output get an end.
	_ = p.Stdout.Close()
}

func (p *Process) ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// pipes are both ends of the three streams.
type pipes struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	theirs []*os.File
}

// connect makes the streams. They are files, so that waiting for the program
// waits for nobody who copies them and closes none that is still read.
func connect(cmd *exec.Cmd) (_ *pipes, err error) {
	p := &pipes{}
	defer func() {
		if err != nil {
			p.closeOurs()
			p.closeTheirs()
		}
	}()
	var in, out, errs *os.File
	if in, p.stdin, err = os.Pipe(); err != nil {
		return nil, err
	}
	p.theirs = append(p.theirs, in)
	if p.stdout, out, err = os.Pipe(); err != nil {
		return nil, err
	}
	p.theirs = append(p.theirs, out)
	if p.stderr, errs, err = os.Pipe(); err != nil {
		return nil, err
	}
	p.theirs = append(p.theirs, errs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	return p, nil
}

func (p *pipes) closeTheirs() {
	for _, file := range p.theirs {
		file.Close()
	}
}

func (p *pipes) closeOurs() {
	for _, file := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if file != nil {
			file.Close()
		}
	}
}

// environment is what the program sees: three of the server's variables, below
// what is configured.
func environment(configured map[string]string) []string {
	all := map[string]string{}
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if value, set := os.LookupEnv(name); set {
			all[name] = value
		}
	}
	maps.Copy(all, configured)
	env := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+strings.ReplaceAll(all[name], "\x00", ""))
	}
	return env
}

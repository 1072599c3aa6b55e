package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// process is the program as a process of its own, in the directories of an invocation.
type process struct {
	*exec.Cmd
	t           *testing.T
	out, errors *watched
}

func (i *invocation) process(args ...string) *process {
	i.t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...), t: i.t, out: newWatched(), errors: newWatched()}
	p.Env = append(os.Environ(), "NANOCLAW_TEST_PROGRAM=1")
	for name, value := range i.vars {
		p.Env = append(p.Env, name+"="+value)
	}
	p.Stdout, p.Stderr = p.out, p.errors
	if err := p.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { p.Process.Kill() })
	return p
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// exits waits for the process and compares its exit code.
func (p *process) exits(code int) {
	p.t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d\n%s%s", got, code, p.out, p.errors)
	}
}

// CF2
func TestServeObeysSignals(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	p := i.process("serve", "--listen", "127.0.0.1:0")
	url := p.out.await(t, "NanoClaw is ready at ")
	i.configure(quiet + "max_iterations: 9\n")
	p.signal(syscall.SIGHUP)
	p.errors.await(t, "key=max_iterations from=15 to=9")
	second := i.process("serve", "--listen", "127.0.0.1:0")
	second.exits(exitFailed)
	if want := fmt.Sprintf("is owned by process %d, which serves %s", p.Process.Pid,
		url); !strings.Contains(second.errors.String(), want) {
		t.Errorf("%q is missing in\n%s", want, second.errors)
	}
	p.signal(syscall.SIGTERM)
	p.exits(exitOK)

	p = i.process("serve", "--listen", "127.0.0.1:0")
	p.out.await(t, "NanoClaw is ready at ")
	p.signal(syscall.SIGKILL)
	p.exits(-1)
	// What a killed process owned is free.
	p = i.process("run", "what is 6*7?")
	p.exits(exitOK)
	if !strings.Contains(p.out.String(), "42") {
		t.Error(p.out)
	}
}

// CH3
func TestASecondCtrlCDoesNotWait(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){func(w *eventStream) {
		w.text("1", 0, "one\n")
		<-w.gone // it never tells an end
	}}
	i.ownData(f.URL)
	p := i.process("run", "x")
	p.out.await(t, "one")
	p.signal(syscall.SIGINT)
	p.errors.await(t, "stopping")
	p.signal(syscall.SIGINT)
	p.exits(exitStopped)
	if strings.Contains(p.errors.String(), "leaving") {
		t.Error("it waited for the server:", p.errors)
	}
}

// ownData makes this process the owner of the data directory.
func (i *invocation) ownData(url string) {
	i.t.Helper()
	dir := i.vars["NANOCLAW_DATA"]
	if err := os.MkdirAll(dir, 0o700); err != nil {
		i.t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(dir, "nanoclaw.lock"))
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { lock.Close() })
	if _, err := fmt.Fprintf(lock, `{"pid":%d,"url":%q}`, os.Getpid(), url); err != nil {
		i.t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		i.t.Fatal(err)
	}
}

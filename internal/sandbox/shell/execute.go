package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/sandbox"
)

// maxState bounds what a shell that exits may leave behind.
const maxState = 1 << 20

// execution is one command on its way through the shell.
type execution struct {
	session  *Session
	process  sandbox.Process
	out, err *sandbox.Capture
	messages []byte
	open     [5]bool // descriptors that have not ended
	buf      []byte
	printed  printed
}

// execute sends the line of a command to the shell and waits for its end. Where the shell is
// gone afterwards, the session has none.
func (s *Session) execute(ctx context.Context, command Command) (Result, error) {
	x := &execution{
		session: s, process: s.process, out: sandbox.NewCapture(s.settings.OutputLimit),
		err: sandbox.NewCapture(s.settings.OutputLimit),
		buf: make([]byte, 32<<10), open: [5]bool{outDescriptor: true, errDescriptor: true, messageDescriptor: true},
		printed: printed{tell: command.Printed},
	}
	x.out.KeepWhole(s.settings.KeepWhole)
	x.err.KeepWhole(s.settings.KeepWhole)
	began, before := time.Now(), x.process.Load()
	deadline := began.Add(command.Timeout)
	stopWaking := context.AfterFunc(ctx, s.wake.wake)
	defer stopWaking()
	result := Result{Dir: s.dir}
	err := x.process.Pipe(commandDescriptor).WriteAll(append([]byte(command.Line), 0), deadline)
	if err == nil {
		err = x.wait(ctx, deadline, &result)
	}
	if errors.Is(err, errShellGone) || err != nil && x.ended() {
		err = nil
		x.drain()
		result.Restarted = true
		s.stopShell(0)
		result.ExitCode = x.exitCode()
	}
	switch {
	case err != nil:
		s.stopShell(0)
		x.out.Discard()
		x.err.Discard()
		return result, err
	case result.TimedOut, result.Cancelled:
		result.Restarted = true
		x.abandon(result.TimedOut)
	}
	result.Duration = time.Since(began)
	result.Limits = metLimits(before, x.process.Load(), result.ExitCode)
	result.Stdout, result.Stderr = x.out.String(), x.err.String()
	result.StdoutDropped, result.StderrDropped = x.out.Dropped(), x.err.Dropped()
	if result.TimedOut {
		result.Limits = append(result.Limits, "time")
	}
	if result.StdoutDropped+result.StderrDropped > 0 {
		result.Limits = append(result.Limits, "output")
	}
	result.WholeStdout, result.WholeStderr = x.out.Whole(), x.err.Whole()
	return result, nil
}

// metLimits are the resource limits that a command ran into.
func metLimits(before, after sandbox.Load, exitCode int) []string {
	var met []string
	if after.MemoryKills > before.MemoryKills {
		met = append(met, "memory")
	}
	if after.ProcessesRefused > before.ProcessesRefused {
		met = append(met, "processes")
	}
	switch exitCode { // as bash says that a signal ended the command
	case 128 + int(unix.SIGXCPU):
		met = append(met, "cpu_time")
	case 128 + int(unix.SIGXFSZ):
		met = append(met, "file_size")
	}
	return met
}

var errShellGone = errors.New("the shell is gone")

// wait collects output until the shell says that the command has ended.
func (x *execution) wait(ctx context.Context, deadline time.Time, result *Result) error {
	for {
		switch {
		case ctx.Err() != nil:
			result.Cancelled, result.ExitCode = true, 130
			return nil
		case !time.Now().Before(deadline):
			result.TimedOut, result.ExitCode = true, 124
			return nil
		}
		if err := x.poll(x.printed.wait(time.Until(deadline))); err != nil {
			return err
		}
		x.printed.report()
		done, err := x.message(result)
		if err != nil {
			return err
		}
		if done {
			x.process.Settle()
			// What the command printed before its end is in the pipes by now.
			return x.drain()
		}
		if !x.open[messageDescriptor] {
			return errShellGone
		}
	}
}

// poll waits for one of the pipes and reads all that is in them.
func (x *execution) poll(wait time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(x.session.wake.r), Events: unix.POLLIN}}
	for descriptor, open := range x.open {
		if open {
			fds = append(fds, unix.PollFd{Fd: int32(x.process.Pipe(descriptor).FD()), Events: unix.POLLIN})
		}
	}
	millis := min(wait/time.Millisecond+1, time.Hour/time.Millisecond)
	if _, err := unix.Poll(fds, int(millis)); err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for the shell: %w", err)
	}
	if fds[0].Revents != 0 {
		x.session.wake.clear()
	}
	return x.readOnce()
}

// readOnce takes one piece of every pipe that is open.
func (x *execution) readOnce() error {
	for descriptor, open := range x.open {
		if open {
			if _, err := x.take(descriptor); err != nil {
				return err
			}
		}
	}
	return nil
}

// drain takes what is in the pipes now, up to a bound: a child in the background
// may print for ever.
func (x *execution) drain() error {
	for _, descriptor := range []int{outDescriptor, errDescriptor} {
		for total := 0; x.open[descriptor] && total < 1<<20; {
			n, err := x.take(descriptor)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			total += n
		}
	}
	return nil
}

func (x *execution) take(descriptor int) (int, error) {
	n, err := x.process.Pipe(descriptor).Read(x.buf)
	if errors.Is(err, io.EOF) {
		x.open[descriptor] = false
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	switch descriptor {
	case outDescriptor:
		_, _ = x.out.Write(x.buf[:n]) // never fails
		x.printed.write(descriptor, x.buf[:n])
	case errDescriptor:
		_, _ = x.err.Write(x.buf[:n])
		x.printed.write(descriptor, x.buf[:n])
	case messageDescriptor:
		if len(x.messages) < maxState {
			x.messages = append(x.messages, x.buf[:n]...)
		}
	}
	return n, nil
}

// message looks for what the shell says about the command.
func (x *execution) message(result *Result) (done bool, err error) {
	fields := bytes.Split(x.messages, []byte{0})
	if len(fields) < 4 || len(fields[0]) != 1 {
		return false, nil
	}
	code, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return false, fmt.Errorf("the shell answered with the status %.20q", fields[1])
	}
	dir := string(fields[2])
	switch fields[0][0] {
	case 'D':
		result.ExitCode, result.Dir = code, dir
		x.session.dir = dir
		return true, nil
	case 'X':
		result.Dir = dir
		x.session.dir = dir
		return false, nil // the end of the shell follows
	}
	return false, fmt.Errorf("the shell answered %.20q", fields[0])
}

// exitCode is the status of a shell that ended, and keeps its state.
func (x *execution) exitCode() int {
	fields := bytes.SplitN(x.messages, []byte{0}, 5)
	if len(fields) == 5 && string(fields[0]) == "X" {
		if len(x.messages) < maxState {
			x.session.state = string(fields[3])
		}
		if code, err := strconv.Atoi(string(fields[1])); err == nil {
			return code
		}
	}
	return x.process.ExitCode()
}

// ended says whether the shell has exited.
func (x *execution) ended() bool {
	select {
	case <-x.process.Done():
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// abandon ends the shell of a command that did not end. What its processes print
// while they are asked to end is still kept, for a command that timed out; one
// that was cancelled is not waited for.
func (x *execution) abandon(wait bool) {
	s := x.session
	process, wake := s.process, s.wake
	s.process, s.wake = nil, nil
	stopped := make(chan struct{})
	go func() {
		process.Stop(stopGrace)
		close(stopped)
		wake.wake()
	}()
	finish := func() {
		<-stopped
		process.Close()
		wake.close()
	}
	if !wait {
		s.ending.Add(1)
		go func() {
			defer s.ending.Done()
			finish()
		}()
		return
	}
	x.session = &Session{wake: wake}
	for {
		if err := x.poll(stopGrace); err != nil {
			break
		}
		select {
		case <-stopped:
			_ = x.drain() // it failed: what there is has been kept
			finish()
			return
		default:
		}
		if !x.open[outDescriptor] && !x.open[errDescriptor] {
			break
		}
	}
	finish()
}

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// Sink takes what a process writes. It never fails.
type Sink = io.Writer

// Collect reads descriptors of a process until all of them have ended or done
// says that there is enough; then what is in the pipes is read once more. It ends
// with the process, so that whoever bounds the time stops the process.
func Collect(p Process, sinks map[int]Sink, done func() bool) error {
	open := make(map[int]bool, len(sinks))
	for descriptor := range sinks {
		open[descriptor] = true
	}
	buf := make([]byte, 32<<10)
	for len(open) > 0 {
		var fds []unix.PollFd
		for descriptor := range open {
			fds = append(fds, unix.PollFd{Fd: int32(p.Pipe(descriptor).FD()), Events: unix.POLLIN})
		}
		if err := poll(fds, time.Minute); err != nil {
			return err
		}
		for descriptor := range open {
			ended, err := readAvailable(p.Pipe(descriptor), sinks[descriptor], buf)
			if err != nil {
				return err
			}
			if ended {
				delete(open, descriptor)
			}
		}
		if done() {
			// The answer came last: everything else is in the pipes by now.
			for descriptor := range open {
				if _, err := readAvailable(p.Pipe(descriptor), sinks[descriptor], buf); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return nil
}

// readAvailable reads what is there, up to a bound: the writer may be faster.
func readAvailable(p *Pipe, to Sink, buf []byte) (ended bool, err error) {
	for total := 0; total < 1<<20; {
		n, err := p.Read(buf)
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case n == 0:
			return false, nil
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return false, fmt.Errorf("keep the output of a process: %w", err)
		}
		total += n
	}
	return false, nil
}

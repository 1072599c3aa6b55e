package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Pipe is the server's end of a descriptor of a process. It never blocks but in
// WriteAll. It belongs to one goroutine at a time.
type Pipe struct{ fd int }

// errWouldBlock says that there is nothing to read now.
var errWouldBlock = errors.New("nothing to read now")

// FD is the descriptor, for poll(2); -1 after Close.
func (p *Pipe) FD() int { return p.fd }

// Read reads what is there. It returns 0 and no error when there is nothing now,
// and io.EOF when nobody can write any more.
func (p *Pipe) Read(buf []byte) (int, error) {
	n, err := p.read(buf)
	if errors.Is(err, errWouldBlock) {
		return 0, nil
	}
	return n, err
}

func (p *Pipe) read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(p.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return 0, errWouldBlock
		case err != nil:
			return 0, fmt.Errorf("read from the process: %w", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// WriteAll writes everything, and waits for the process to read until the deadline.
func (p *Pipe) WriteAll(data []byte, deadline time.Time) error {
	for len(data) > 0 {
		n, err := unix.Write(p.fd, data)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			left := time.Until(deadline)
			if left <= 0 {
				return os.ErrDeadlineExceeded
			}
			if err := poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}, left); err != nil {
				return err
			}
		case err != nil:
			return fmt.Errorf("write to the process: %w", err)
		default:
			data = data[n:]
		}
	}
	return nil
}

// File is the server's end as a file of the Go runtime, whose reads and writes wait.
// The pipe itself is closed.
func (p *Pipe) File() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(p.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("use a pipe as a file: %w", err)
	}
	p.Close()
	return os.NewFile(uintptr(fd), "pipe"), nil
}

// Close closes the server's end.
func (p *Pipe) Close() {
	if p != nil && p.fd >= 0 {
		_ = unix.Close(p.fd) // nothing is buffered that could be lost
		p.fd = -1
	}
}

// poll waits for one of the descriptors, at most that long.
func poll(fds []unix.PollFd, wait time.Duration) error {
	millis := int((wait + time.Millisecond - 1) / time.Millisecond)
	if _, err := unix.Poll(fds, max(millis, 0)); err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for the process: %w", err)
	}
	return nil
}

// pipes are both ends of a process's descriptors.
type pipes struct {
	own    []*Pipe    // nil for Null
	theirs []*os.File // closed once the process is started
}

func newPipes(directions []Direction) (_ *pipes, err error) {
	p := &pipes{}
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.closeOwn()
		}
	}()
	for _, direction := range directions {
		if direction == Null {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				return nil, err
			}
			p.own, p.theirs = append(p.own, nil), append(p.theirs, null)
			continue
		}
		var ends [2]int
		if err := closedOnExec(&ends); err != nil {
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		own, theirs := ends[0], ends[1]
		if direction == In {
			own, theirs = ends[1], ends[0]
		}
		p.own = append(p.own, &Pipe{fd: own})
		p.theirs = append(p.theirs, os.NewFile(uintptr(theirs), "pipe"))
		if err := unix.SetNonblock(own, true); err != nil {
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
	}
	return p, nil
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close() // the process has its own copy
	}
	p.theirs = nil
}

func (p *pipes) closeOwn() {
	for _, own := range p.own {
		own.Close()
	}
}

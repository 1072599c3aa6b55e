package shell

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// wakePipe ends a wait in poll(2) from another goroutine.
type wakePipe struct {
	mu   sync.Mutex
	r, w int // -1: closed
}

func newWakePipe() (*wakePipe, error) {
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	for _, fd := range ends {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
	}
	return &wakePipe{r: ends[0], w: ends[1]}, nil
}

// wake ends the wait that is going on, or the next one.
func (p *wakePipe) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w >= 0 {
		_, _ = unix.Write(p.w, []byte{0}) // when it is full it wakes all the same
	}
}

// clear forgets what woke.
func (p *wakePipe) clear() {
	var buf [64]byte
	for {
		if n, err := unix.Read(p.r, buf[:]); n <= 0 || err != nil {
			return
		}
	}
}

func (p *wakePipe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = unix.Close(p.r) // nothing is buffered that anybody wants
	_ = unix.Close(p.w)
	p.r, p.w = -1, -1
}

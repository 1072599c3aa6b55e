package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fifos are descriptors as named pipes in a directory of their own, for a
// process that cannot inherit any. Their names are gone once it has opened them,
// so that nothing that it starts can open them again.
type fifos struct {
	dir        string
	directions []Direction
	own        []*Pipe
	ready      *Pipe // says that the process has opened them all
	release    *Pipe // lets it go on from there; nil: it does not wait
}

const (
	readyName = "ready"
	goName    = "go"
)

// newFifos makes them. A process that waits goes on when letGo is called.
func newFifos(directions []Direction, waits bool) (_ *fifos, err error) {
	dir, err := os.MkdirTemp("", "nanoclaw-pipes-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for pipes: %w", err)
	}
	f := &fifos{dir: dir, directions: directions, own: make([]*Pipe, len(directions))}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	for i, direction := range directions {
		if direction != Null {
			if f.own[i], err = f.make(strconv.Itoa(i), direction); err != nil {
				return nil, err
			}
		}
	}
	if waits {
		if f.release, err = f.make(goName, In); err != nil {
			return nil, err
		}
	}
	f.ready, err = f.make(readyName, Out)
	return f, err
}

// letGo lets a process that waits go on.
func (f *fifos) letGo() {
	_, _ = unix.Write(f.release.FD(), []byte("\n")) // the process may have ended meanwhile
	f.release.Close()
}

// make makes a named pipe and opens the server's end, which waits for nobody. A
// pipe that the process reads is opened for both, or it could not be opened yet.
func (f *fifos) make(name string, direction Direction) (*Pipe, error) {
	path := filepath.Join(f.dir, name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make a named pipe: %w", err)
	}
	mode := unix.O_RDONLY
	if direction == In {
		mode = unix.O_RDWR
	}
	fd, err := unix.Open(path, mode|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a named pipe: %w", err)
	}
	return &Pipe{fd: fd}, nil
}

// redirections are the shell's commands that open the descriptors.
func (f *fifos) redirections() string {
	var script strings.Builder
	for i, direction := range f.directions {
		switch direction {
		case Null:
			fmt.Fprintf(&script, "exec %d<>/dev/null; ", i)
		case In:
			fmt.Fprintf(&script, "exec %d<%s/%d || exit 126; ", i, insidePipes, i)
		case Out:
			fmt.Fprintf(&script, "exec %d>%s/%d || exit 126; ", i, insidePipes, i)
		}
	}
	last := len(f.directions)
	if f.release != nil {
		fmt.Fprintf(&script, "exec %d<%s/%s || exit 126; ", last, insidePipes, goName)
	}
	fmt.Fprintf(&script, "printf x >%s/%s || exit 126; ", insidePipes, readyName)
	if f.release != nil {
		fmt.Fprintf(&script, "read -r -u %d; exec %d<&-; ", last, last)
	}
	return script.String()
}

// errNotStarted says that a process ended before it opened its descriptors.
var errNotStarted = errors.New("it ended before its command began")

// wait waits until the process has opened its descriptors, and forgets their names.
func (f *fifos) wait(ctx context.Context, gone <-chan struct{}) error {
	defer f.remove()
	var buf [1]byte
	for {
		select {
		case <-gone:
			return errNotStarted
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if err := poll([]unix.PollFd{{Fd: int32(f.ready.FD()), Events: unix.POLLIN}},
			100*time.Millisecond); err != nil {
			return err
		}
		if n, _ := f.ready.Read(buf[:]); n == 1 { // without a writer there is nothing to read, which is no failure
			return nil
		}
	}
}

// remove removes the names. What is open stays open.
func (f *fifos) remove() {
	_ = os.RemoveAll(f.dir) // a directory of the system's temporary ones
	f.ready.Close()
}

func (f *fifos) close() {
	f.remove()
	f.release.Close()
	for _, own := range f.own {
		own.Close()
	}
}

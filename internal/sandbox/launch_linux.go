package sandbox

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

// launch collects what one start of bubblewrap needs.
type launch struct {
	descriptors []*os.File    // of the process first, then bubblewrap's own
	own         []*os.File    // closed once it has started
	info        *os.File      // what bubblewrap says about its child
	names       *disarmer     // of the project; nil: there is none
	handover    *net.UnixConn // the proxy's socket comes over this; nil: there is no proxy
}

// abandon gives up a start that failed.
func (l *launch) abandon() {
	if l.handover != nil {
		_ = l.handover.Close()
	}
}

func (l *launch) close() {
	for _, f := range l.own {
		_ = f.Close() // bubblewrap has its own copy
	}
	l.own = nil
}

// pass gives bubblewrap a file and returns its number there.
func (l *launch) pass(f *os.File) string {
	l.own = append(l.own, f)
	for len(l.descriptors) < 3 {
		l.descriptors = append(l.descriptors, nil)
	}
	l.descriptors = append(l.descriptors, f)
	return strconv.Itoa(len(l.descriptors) - 1)
}

// data gives bubblewrap a small text to read.
func (l *launch) data(content []byte) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", fmt.Errorf("make a pipe: %w", err)
	}
	number := l.pass(r)
	_, err = w.Write(content) // fits into the pipe
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return number, err
}

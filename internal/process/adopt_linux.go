package process

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says whether orphans below this process become its children.
var adopts atomic.Bool

// Adopt runs work, and has orphans below this process become its children, so
// that every process that descends from this one can be found, however it was
// detached. It returns what work returned.
//
// It must be called on the first thread of the process: by the main goroutine,
// which an init function has locked to its thread. The kernel gives orphans to
// that thread. Nothing else may start a process on it: what ends there is an
// orphan that nobody else waits for, and is reaped here.
func Adopt(work func() int) (int, error) {
	if unix.Gettid() != unix.Getpid() {
		return 0, errors.New("adopt orphans: this is not the first thread of the process")
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("adopt orphans: %w", err)
	}
	adopts.Store(true)
	result := make(chan int, 1)
	go func() { result <- work() }()
	for {
		select {
		case code := <-result:
			return code, nil
		case <-ended:
			reapOrphans()
		}
	}
}

// reapOrphans takes the exit status of this thread's own dead children.
func reapOrphans() {
	for {
		id, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) && id <= 0 {
			return
		}
	}
}

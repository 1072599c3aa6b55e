package sandbox

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervise runs a command and ends with it and with all of its descendants. Its
// arguments are the number of the last descriptor, and the command.
//
// Those that lose their parent become the supervisor's children, so none gets
// away. The last descriptor gives the order to stop, as milliseconds of grace;
// its end says that the server is gone.
func supervise(args []string) int {
	if len(args) < 2 {
		return 126
	}
	control, err := strconv.Atoi(args[0])
	if err != nil {
		return 126
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 126
	}
	unix.CloseOnExec(control)
	files := make([]uintptr, control)
	for i := range files {
		files[i] = uintptr(i)
	}
	main, err := syscall.ForkExec(args[1], args[1:], &syscall.ProcAttr{Env: os.Environ(), Files: files})
	if err != nil {
		return 127
	}
	forget(control)
	go obey(os.NewFile(uintptr(control), "orders"), main)
	code := reap(main)
	endTree()
	return code
}

// forget gives up the supervisor's copies of the command's descriptors.
func forget(descriptors int) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	for i := range descriptors {
		if err == nil && i < 3 {
			_ = unix.Dup3(null, i, 0) // else the copy stays open until the end
		} else {
			_ = unix.Close(i)
		}
	}
}

// obey waits for the order to stop.
func obey(orders *os.File, main int) {
	line, err := bufio.NewReader(orders).ReadString('\n')
	grace, parseErr := strconv.Atoi(strings.TrimSpace(line))
	if err == nil && parseErr == nil && grace > 0 {
		// The command itself starts nothing new while the others end.
		_ = unix.Kill(main, unix.SIGSTOP)
		others := func() []int {
			var ids []int
			for _, id := range descendants(os.Getpid()) {
				if id != main {
					ids = append(ids, id)
				}
			}
			return ids
		}
		signalAll(others(), unix.SIGTERM)
		for deadline := time.Now().Add(time.Duration(grace) * time.Millisecond); time.Now().Before(deadline) &&
			len(others()) > 0; {
			time.Sleep(10 * time.Millisecond)
		}
	}
	signalAll(descendants(os.Getpid()), unix.SIGKILL)
	_ = unix.Kill(main, unix.SIGKILL)
}

// reap collects the dead until the command is among them.
func reap(main int) int {
	for {
		var status unix.WaitStatus
		id, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 127
		case id == main && status.Signaled():
			return 128 + int(status.Signal())
		case id == main:
			return status.ExitStatus()
		}
	}
}

// endTree kills until there is nobody left to be killed.
func endTree() {
	for {
		signalAll(descendants(os.Getpid()), unix.SIGKILL)
		id, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return
		case id == 0:
			time.Sleep(time.Millisecond)
		}
	}
}

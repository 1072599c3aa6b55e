package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperInside is the first program in a sandbox, before the command that it becomes.
func helperInside(orders []string) int {
	if err := inside(orders); err != nil {
		fmt.Fprintln(os.Stderr, "nanoclaw-inside:", err)
		return 126
	}
	return 0
}

// inside does what its orders say, one word each, and becomes the command behind "--":
//
//	executable=N  the descriptor that this program was started from, to be closed
//	handover=N    hand out the proxy's socket over this descriptor
//	connect=PATH  the same over this Unix socket
//	read=PATH     a directory beside the usual ones that Landlock lets it read
//	write=PATH    one that Landlock lets it read and write
//	landlock=N    restrict itself with this version of Landlock, notcp: without TCP
func inside(orders []string) error {
	version, tcp := 0, true
	var more []landlockPath
	for i, order := range orders {
		name, value, _ := strings.Cut(order, "=")
		switch name {
		case "--":
			if err := landlock(version, tcp, more); err != nil {
				return err
			}
			command := orders[i+1:]
			return fmt.Errorf("start %s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
		case "notcp":
			tcp = false
			continue
		case "read":
			more = append(more, landlockPath{value, landlockRead})
			continue
		case "write":
			more = append(more, landlockPath{value, landlockRead | landlockWrite})
			continue
		case "connect":
			if err := handOutAt(value); err != nil {
				return err
			}
			continue
		}
		number, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("the order %q cannot be read", order)
		}
		switch name {
		case "executable":
			unix.CloseOnExec(number)
		case "handover":
			unix.CloseOnExec(number)
			if err := handOut(number); err != nil {
				return err
			}
		case "landlock":
			version = number
		default:
			return fmt.Errorf("the order %q is not known", order)
		}
	}
	return nil
}

// handOutAt hands out over a Unix socket in the file system.
func handOutAt(path string) error {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	defer unix.Close(socket)
	if err := unix.Connect(socket, &unix.SockaddrUnix{Name: path}); err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	return handOut(socket)
}

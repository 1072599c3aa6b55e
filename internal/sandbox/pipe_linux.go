package sandbox

import "golang.org/x/sys/unix"

func closedOnExec(ends *[2]int) error { return unix.Pipe2(ends[:], unix.O_CLOEXEC) }

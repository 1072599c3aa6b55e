//go:build unix

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ownerName names this process among all that ever had its id: by its start time.
func ownerName() string {
	pid := os.Getpid()
	return strconv.Itoa(pid) + "-" + startTime(pid)
}

func ownerLives(owner string) bool {
	pid, started, _ := strings.Cut(owner, "-")
	id, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	err = syscall.Kill(id, 0) // EPERM: it lives, and is another user's
	return (err == nil || errors.Is(err, syscall.EPERM)) && startTime(id) == started
}

// startTime is when a process started, in the kernel's own unit; empty where that
// cannot be known.
func startTime(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

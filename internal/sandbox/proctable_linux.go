package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processes lists the ids of all processes that can be seen.
func processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var ids []int
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// namespaceMembers are the processes of a PID namespace, but for bubblewrap's own:
// the program that it started (0: it is gone) and all others. The dead are left
// out: who has to reap them may be stopped.
func namespaceMembers(init int) (first int, others []int) {
	own, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(init), "ns/pid"))
	if err != nil {
		return 0, nil
	}
	for _, id := range processes() {
		dir := filepath.Join("/proc", strconv.Itoa(id))
		if namespace, err := os.Readlink(filepath.Join(dir, "ns/pid")); err != nil || namespace != own {
			continue
		}
		if _, state, ok := parentOf(id); !ok || state == "Z" {
			continue
		}
		switch inner := innerID(dir); {
		case inner == 2:
			first = id
		case inner > 2:
			others = append(others, id)
		}
	}
	return first, others
}

// innerID is the id of a process in its own namespace; 0: unknown.
func innerID(dir string) int {
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if ids, found := strings.CutPrefix(line, "NSpid:"); found {
			fields := strings.Fields(ids)
			if len(fields) == 0 {
				return 0
			}
			id, err := strconv.Atoi(fields[len(fields)-1])
			if err != nil {
				return 0
			}
			return id
		}
	}
	return 0
}

// descendants are the children of a process and their children, zombies left out.
func descendants(ancestor int) []int {
	children := map[int][]int{}
	for _, id := range processes() {
		if parent, state, ok := parentOf(id); ok && state != "Z" {
			children[parent] = append(children[parent], id)
		}
	}
	var all []int
	for queue := children[ancestor]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

func parentOf(id int) (parent int, state string, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	if err != nil {
		return 0, "", false
	}
	// The name stands in parentheses and may hold anything.
	end := strings.LastIndexByte(string(stat), ')')
	fields := strings.Fields(string(stat[end+1:]))
	if end < 0 || len(fields) < 2 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[0], err == nil
}

func signalAll(ids []int, signal unix.Signal) {
	for _, id := range ids {
		_ = unix.Kill(id, signal) // it may have ended meanwhile
	}
}

// askToEnd sends SIGTERM to the processes of a sandbox, but for the first, and
// waits until they are gone, at most that long. The first one is stopped, so that
// it starts nothing new meanwhile.
func askToEnd(c *child, init int, grace time.Duration) {
	first, others := namespaceMembers(init)
	if first != 0 {
		_ = unix.Kill(first, unix.SIGSTOP) // it may have ended meanwhile
	}
	signalAll(others, unix.SIGTERM)
	for deadline := time.Now().Add(grace); len(others) > 0 && time.Now().Before(deadline) &&
		!c.exited(10*time.Millisecond); {
		_, others = namespaceMembers(init)
	}
}

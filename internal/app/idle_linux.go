package app

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseStart gives back the memory that only the start took: of the heap, and of
// the program's own file, of which the start touches most pages once. What is needed
// again comes back from the page cache. An error changes nothing but the figure.
func releaseStart() {
	debug.FreeOSMemory()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if from, to, ok := programPages(lines.Text(), program); ok {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		}
	}
}

// programPages are the addresses of a line of /proc/self/maps that maps the program's
// file and cannot be written: what could be is not in the file. See proc_pid_maps(5).
func programPages(line, program string) (from, to uintptr, ok bool) {
	var rights string
	if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); err != nil {
		return 0, 0, false
	}
	return from, to, (rights == "r-xp" || rights == "r--p") && strings.HasSuffix(line, " "+program) && from < to
}

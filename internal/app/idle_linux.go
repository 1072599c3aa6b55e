package app

import (
	"bufio"
	"fmt"
	"io"
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
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	for _, pages := range programPages(maps, program) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, pages.from, pages.to-pages.from, unix.MADV_DONTNEED)
	}
}

// mapping is a part of the address space.
type mapping struct{ from, to uintptr }

// programPages are the parts that map the program's file, cannot be written and never
// were: the loader writes into some before it forbids that, and what it wrote is not in
// the file. See proc_pid_smaps(5).
func programPages(smaps io.Reader, program string) []mapping {
	var list []mapping
	var now mapping
	known := 0 // what is known of it: that it is ours, and two kinds of own pages that it has none of
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch {
		case strings.Contains(name, " "): // the first line of a mapping
			var rights string
			if now, known = (mapping{}), 0; !strings.HasSuffix(value, " "+program) {
				continue
			}
			if n, err := fmt.Sscanf(name, "%x-%x %s", &now.from, &now.to, &rights); n == 3 && err == nil && (rights == "r-xp" || rights == "r--p") && now.from < now.to {
				known = 1
			}
		case known > 0 && (name == "Anonymous" || name == "Swap"):
			if known++; strings.TrimSpace(value) != "0 kB" {
				known = 0
			}
			if known == 3 {
				list = append(list, now)
			}
		}
	}
	return list
}

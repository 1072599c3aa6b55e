// Package reexec starts this program again as a helper process: the supervisor of a
// command, the first program in a sandbox, a parser of foreign input. There is no second
// binary to install.
//
// A program calls Main with the table of its helpers before anything else; without
// that, Args refuses to start any. The package knows nothing of what helpers do.
package reexec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// marker is the first argument of a helper process, its name the second.
const marker = "nanoclaw-helper"

// Table says what each helper does, by name. The function gets the arguments behind
// the name, runs on the process's first thread, and returns the exit code.
type Table map[string]func(args []string) int

// ready says that Main was called, so that this program can be its own helper.
var ready atomic.Bool

// Main does the work of the helper that this process was started as, and ends the
// process. It returns in a process that is none. A name in two tables is a mistake in
// the program and panics.
func Main(tables ...Table) {
	all := Table{}
	for _, table := range tables {
		for name, work := range table {
			if all[name] != nil {
				panic(fmt.Sprintf("reexec: there are two helpers %q", name))
			}
			all[name] = work
		}
	}
	ready.Store(true)
	if len(os.Args) < 3 || os.Args[1] != marker {
		return
	}
	runtime.LockOSThread() // restrictions hold for a thread
	work := all[os.Args[2]]
	if work == nil {
		fmt.Fprintf(os.Stderr, "%s: there is no helper %q: the helpers are %s\n", marker, os.Args[2],
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		os.Exit(2)
	}
	os.Exit(work(os.Args[3:]))
}

// errNotReady is a mistake in the program: it would start itself over and over again.
var errNotReady = errors.New("this program cannot be its own helper: it did not call reexec.Main")

// Args are the arguments, behind the program's name, that make this program a helper.
func Args(name string, args ...string) ([]string, error) {
	if !ready.Load() {
		return nil, errNotReady
	}
	return append([]string{marker, name}, args...), nil
}

// Program is the path of the program that runs here, on Linux also when its file has
// been replaced by a new version since.
func Program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

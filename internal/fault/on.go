//go:build chaos

package fault

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
)

var (
	mu      sync.Mutex
	reached int
	at, _   = strconv.Atoi(os.Getenv("NANOCLAW_FAULT_AT"))
	logFile = os.Getenv("NANOCLAW_FAULT_LOG")
)

// Point marks a moment at which a test may want the process to die.
func Point(name string) {
	mu.Lock()
	defer mu.Unlock()
	reached++
	if logFile != "" {
		note(name)
	}
	if reached == at {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
		select {} // the signal is on its way
	}
}

func note(name string) {
	f, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, name)
}

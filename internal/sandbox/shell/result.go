package shell

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Result is how a command ended.
type Result struct {
	ExitCode      int
	Stdout        string
	Stderr        string
	StdoutDropped int64 // bytes that Stdout leaves out of the middle
	StderrDropped int64
	WholeStdout   *os.File // everything, where something was dropped and KeepWhole is set; the caller closes it
	WholeStderr   *os.File
	Dir           string // working directory behind the command
	Duration      time.Duration
	TimedOut      bool
	Cancelled     bool
	Restarted     bool     // the shell ended, so that the next command has a new one
	Mended        bool     // the line was escaped once too often
	Limits        []string // that the command met: time, memory, processes, cpu_time, file_size, output
}

// CloseFiles closes the files of a result.
func (r Result) CloseFiles() {
	for _, file := range []*os.File{r.WholeStdout, r.WholeStderr} {
		if file != nil {
			_ = file.Close() // its name is gone already
		}
	}
}

// failure says how a command of the configuration failed; empty: it did not.
func failure(result Result, limit time.Duration) string {
	why := ""
	switch {
	case result.TimedOut:
		why = "did not end within " + limit.String()
	case result.ExitCode != 0:
		why = fmt.Sprintf("failed with status %d", result.ExitCode)
	default:
		return ""
	}
	if said := strings.TrimSpace(result.Stderr); said != "" {
		why += fmt.Sprintf(": %.500s", said)
	}
	return why
}

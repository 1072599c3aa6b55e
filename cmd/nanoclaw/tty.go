package main

import (
	"os"

	"golang.org/x/term"
)

// terminalSize is program.terminal for real streams.
func terminalSize(stream any) (columns, rows int, ok bool) {
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, 0, false
	}
	// A terminal that does not tell its size is one all the same.
	columns, rows, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0, true
	}
	return columns, rows, true
}

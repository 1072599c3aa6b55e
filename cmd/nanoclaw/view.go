package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"nanoclaw/internal/terminal"
)

// drawing is how a run is shown.
type drawing interface {
	Show(terminal.Event) error
	Note(text string) error
	Refresh() error
	Close() error
}

var (
	_ drawing = (*terminal.Lines)(nil)
	_ drawing = (*terminal.Screen)(nil)
)

// view shows a run's events, for many goroutines: those of the run, of the clock,
// and of the log of a server of ours.
type view struct {
	mu      sync.Mutex
	drawing drawing   // nil: the events themselves
	json    io.Writer // for them
	stderr  io.Writer
	live    bool   // it is redrawn
	partial []byte // of the log

	approver *approver        // nil: nobody decides here
	holding  bool             // a question stands on the terminal
	held     []terminal.Event // what came meanwhile

	refused string // tool of a call that was not allowed, with no successful call since; empty: none
}

func (p *program) newView(json bool) *view {
	v := &view{json: p.stdout, stderr: p.stderr}
	if json {
		return v
	}
	kind, _ := p.env("TERM")
	if _, _, ok := p.terminal(p.stdout); !ok || kind == "dumb" {
		v.drawing = terminal.NewLines(p.stdout)
		return v
	}
	_, plain := p.env("NO_COLOR")
	v.live = true
	v.drawing = terminal.NewScreen(p.stdout, terminal.Options{Colour: !plain, Size: func() (columns, rows int) {
		columns, rows, _ = p.terminal(p.stdout)
		return columns, rows
	}})
	return v
}

// show shows one event and returns it.
func (v *view) show(data []byte) (terminal.Event, error) {
	e, err := terminal.Parse(data)
	if err != nil {
		return e, err
	}
	if v.approver != nil {
		defer v.approver.see(e) // behind what is shown
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if tool, refused, finished := e.Outcome(); refused {
		v.refused = tool
	} else if finished && e.Call.Success {
		v.refused = ""
	}
	if v.drawing == nil {
		_, err := v.json.Write(append(bytes.ReplaceAll(data, []byte("\n"), []byte(" ")), '\n'))
		return e, err
	}
	if v.holding {
		v.held = append(v.held, e)
		return e, nil
	}
	return e, v.drawing.Show(e)
}

// hold keeps the terminal free for a question: what comes meanwhile is shown by release.
func (v *view) hold() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.holding = true
	_ = v.drawing.Close() // an error of the output shows at the next event
}

func (v *view) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.holding = false
	for _, e := range v.held {
		_ = v.drawing.Show(e)
	}
	v.held = nil
}

// refresh lets the clocks go on.
func (v *view) refresh() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.holding {
		return nil
	}
	return v.drawing.Refresh()
}

func (v *view) note(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tell(text)
}

// tell writes what is not of the run to the terminal that is redrawn, else to the
// standard error. Where that fails there is nobody to tell it.
func (v *view) tell(text string) {
	if v.live && !v.holding {
		_ = v.drawing.Note(text)
		return
	}
	fmt.Fprintln(v.stderr, "nanoclaw: "+text)
}

func (v *view) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.live = false
	if v.drawing == nil {
		return nil
	}
	return v.drawing.Close()
}

// Write takes the log of a server of ours, line by line.
func (v *view) Write(text []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.partial = append(v.partial, text...)
	for {
		line, rest, whole := bytes.Cut(v.partial, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		if word := strings.TrimSpace(string(line)); word != "" {
			v.tell("the server says: " + word)
		}
		v.partial = append([]byte(nil), rest...)
	}
}

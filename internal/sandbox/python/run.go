package python

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/sandbox"
)

// Request is code to run.
type Request struct {
	Code        string
	Level       string
	Extra       []string // modules that may be imported beside the level's own
	Project     string   // directory of the host that lenient code may use; empty: none
	Masked      []string // paths in the project that the code may not see
	Timeout     time.Duration
	OutputLimit int // bytes of each of stdout and stderr that are kept
}

// Result is what the code did. An exception is no error of Run.
type Result struct {
	Stdout, Stderr               string
	StdoutDropped, StderrDropped int64
	Value                        string // repr of a last expression; empty: none, or None
	Error                        string // the exception; empty: none
	Traceback                    string
	Blocked                      bool // the exception says that the level forbids something
	TimedOut, Cancelled          bool
	Figures                      []Figure // that the code saved with matplotlib, or left open
	FiguresLeftOut               int      // too many, or too large
	Limits                       []string // that the code met: time, memory, processes, file_size, output
	Duration                     time.Duration
}

// Figure is a picture that the code made.
type Figure struct {
	Name string `json:"name"` // of a file, without directories
	Data []byte `json:"data"`
}

// question is what the interpreter is sent, in one line.
type question struct {
	Code       string   `json:"code"`
	Level      string   `json:"level"`
	Modules    []string `json:"modules"`
	Forbidden  []string `json:"forbidden"`
	ValueLimit int      `json:"value_limit"`
	Mark       string   `json:"mark"`
}

type answer struct {
	Value     string `json:"value"`
	Error     string `json:"error"`
	Traceback string `json:"traceback"`
	Blocked   bool   `json:"blocked"`

	Figures        []Figure `json:"figures"`
	FiguresLeftOut int      `json:"figures_left_out"`
}

const (
	valueLimit = 16 << 10
	maxAnswer  = 16 << 20 // with the figures, whose bounds are in runner.py
)

// Run runs code once in an interpreter of its own. The end of ctx is a Result
// with Cancelled. Code of the levels standard and strict sees no project.
func (r *Runner) Run(ctx context.Context, request Request) (Result, error) {
	if !Known(request.Level) {
		return Result{}, fmt.Errorf("the strictness %q is not known: use lenient, standard or strict", request.Level)
	}
	mark := rand.Text()
	line, err := json.Marshal(question{
		Mark: mark,
		Code: request.Code, Level: request.Level, ValueLimit: valueLimit,
		Modules:   append(append(AllowedModules(request.Level), request.Extra...), extraModules(request.Level)...),
		Forbidden: ForbiddenBuiltins(request.Level),
	})
	if err != nil {
		return Result{}, err
	}
	project := request.Project
	if request.Level != Lenient {
		project = ""
	}
	process, err := r.take(ctx, project, request.Masked)
	if err != nil {
		return Result{}, fmt.Errorf("start Python: %w", err)
	}
	defer func() {
		r.discard(process)
		if project == "" {
			r.Prepare()
		}
	}()
	return converse(ctx, process, append(line, '\n'), mark, request)
}

func converse(ctx context.Context, process sandbox.Process, line []byte, mark string, request Request) (Result, error) {
	began := time.Now()
	var timedOut, cancelled atomic.Bool
	limit := time.AfterFunc(request.Timeout, func() {
		timedOut.Store(true)
		process.Stop(0)
	})
	defer limit.Stop()
	release := context.AfterFunc(ctx, func() {
		cancelled.Store(true)
		process.Stop(0)
	})
	defer release()

	out, errs := sandbox.NewCapture(request.OutputLimit), sandbox.NewCapture(request.OutputLimit)
	reply := &replyWriter{mark: []byte(mark)}
	writeErr := process.Pipe(requestDescriptor).WriteAll(line, began.Add(request.Timeout))
	if writeErr == nil {
		err := sandbox.Collect(process, map[int]sandbox.Sink{outDescriptor: out, errDescriptor: errs,
			answerDescriptor: reply}, reply.complete)
		if err != nil {
			return Result{}, err
		}
	}
	result := Result{
		Stdout: out.String(), Stderr: errs.String(), StdoutDropped: out.Dropped(), StderrDropped: errs.Dropped(),
		Duration: time.Since(began),
	}
	var got answer
	switch {
	case reply.complete():
		if err := json.Unmarshal(reply.answer, &got); err != nil {
			return result, fmt.Errorf("read what Python answered: %w", err)
		}
		result.Value, result.Error, result.Traceback, result.Blocked = got.Value, got.Error, got.Traceback, got.Blocked
		result.Limits = limitOf(got.Error)
		result.Figures, result.FiguresLeftOut = got.Figures, got.FiguresLeftOut
	case timedOut.Load() || errors.Is(writeErr, os.ErrDeadlineExceeded):
		result.TimedOut, result.Limits = true, []string{"time"}
	case cancelled.Load():
		result.Cancelled = true
	default:
		return died(process, result), nil
	}
	if result.StdoutDropped+result.StderrDropped > 0 {
		result.Limits = append(result.Limits, "output")
	}
	return result, nil
}

// died says why an interpreter ended without an answer.
func died(process sandbox.Process, result Result) Result {
	<-process.Done()
	code := process.ExitCode()
	result.Error = fmt.Sprintf("the interpreter ended without an answer (status %d)", code)
	if code == 128+int(unix.SIGXFSZ) {
		result.Limits = []string{"file_size"}
	}
	if code == 137 {
		result.Error = "the interpreter was killed: the code used more memory than it may have"
		result.Limits = []string{"memory"}
	}
	return result
}

// limitOf is the resource limit behind an exception.
func limitOf(exception string) []string {
	for start, limit := range map[string]string{
		"MemoryError": "memory", "OSError: [Errno 12]": "memory", "OSError: [Errno 27]": "file_size",
		"RuntimeError: can't start new thread": "processes", "BlockingIOError: [Errno 11]": "processes",
	} {
		if strings.HasPrefix(exception, start) {
			return []string{limit}
		}
	}
	return nil
}

// replyWriter looks for the line that begins with the mark of a call. Whatever else
// stands on the channel was written by the code, and is dropped.
type replyWriter struct {
	mark   []byte
	line   []byte // as far as it has come
	answer []byte // nil: it has not come
}

func (w *replyWriter) Write(p []byte) (int, error) {
	for rest := p; w.answer == nil && len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		if len(w.line)+len(part) <= maxAnswer+len(w.mark) {
			w.line = append(w.line, part...)
		}
		if rest = after; ended {
			if answer, is := bytes.CutPrefix(w.line, w.mark); is {
				w.answer = answer
			}
			w.line = nil
		}
	}
	return len(p), nil
}

func (w *replyWriter) complete() bool { return w.answer != nil }

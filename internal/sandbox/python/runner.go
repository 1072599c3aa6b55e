package python

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"nanoclaw/internal/sandbox"
)

//go:embed runner.py
var runnerScript string

// Descriptors of the interpreter.
const (
	outDescriptor     = 1
	errDescriptor     = 2
	requestDescriptor = 3
	answerDescriptor  = 4
)

// spareLife is how long an interpreter that was started in advance is kept.
const spareLife = 10 * time.Minute

// Runner starts interpreters under one policy. Close must be called.
type Runner struct {
	settings Settings

	mu      sync.Mutex
	spare   sandbox.Process // one without a project, started in advance; may be nil
	expiry  *time.Timer
	closed  bool
	working sync.WaitGroup
}

// Settings are what a runner is made of.
type Settings struct {
	Policy      sandbox.Policy
	Memory      int64 // that one call may use, in bytes
	Interpreter Interpreter
}

// NewRunner makes a runner.
func NewRunner(settings Settings) *Runner { return &Runner{settings: settings} }

// Settings are what the runner was made of.
func (r *Runner) Settings() Settings { return r.settings }

// startTimeout is how long an interpreter may take until it is ready.
const startTimeout = 30 * time.Second

// start starts an interpreter and waits until it is ready for its request: the
// time limit of the code does not count this.
func (r *Runner) start(ctx context.Context, project string, masked []string) (sandbox.Process, error) {
	const overhead = 64 << 20 // of the interpreter itself
	process, err := r.settings.Policy.Start(ctx, sandbox.Spec{
		Visible: r.settings.Interpreter.Visible,
		Argv:    []string{r.settings.Interpreter.Program, "-I", "-X", "utf8", "-c", runnerScript}, Project: project,
		Masked: masked, NoTCP: true,
		Env: map[string]string{"PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"},
		Limits: sandbox.Limits{
			AddressSpace: r.settings.Memory + overhead, Memory: r.settings.Memory + overhead, Processes: 32,
			FileSize: 100 << 20, OpenFiles: 256,
		},
		Pipes: []sandbox.Direction{sandbox.Null, sandbox.Out, sandbox.Out, sandbox.In, sandbox.Out},
	})
	if err != nil {
		return nil, err
	}
	if err := r.awaitReady(ctx, process); err != nil {
		r.discard(process)
		return nil, err
	}
	return process, nil
}

// awaitReady waits for the first byte of an interpreter.
func (r *Runner) awaitReady(ctx context.Context, process sandbox.Process) error {
	limit := time.AfterFunc(startTimeout, func() { process.Stop(0) })
	defer limit.Stop()
	release := context.AfterFunc(ctx, func() { process.Stop(0) })
	defer release()
	complaint := sandbox.NewCapture(2 << 10)
	ready := &bytes.Buffer{}
	err := sandbox.Collect(process, map[int]sandbox.Sink{errDescriptor: complaint, answerDescriptor: ready},
		func() bool { return ready.Len() > 0 })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case ready.Len() > 0:
		return nil
	}
	<-process.Done()
	if code := process.ExitCode(); code != 127 {
		return fmt.Errorf("the interpreter ended while it started (status %d): %s", code, complaint)
	}
	return &sandbox.UnavailableError{Policy: r.settings.Policy.Name(), Reason: r.settings.Interpreter.Program +
		" is missing there: install python3 (apt-get install python3, or an image that has it), or name another one " +
		"(code_execution.python)"}
}

// take hands out an interpreter. One without a project was started in advance,
// and the next one is started at once.
func (r *Runner) take(ctx context.Context, project string, masked []string) (sandbox.Process, error) {
	if project != "" {
		return r.start(ctx, project, masked)
	}
	r.mu.Lock()
	spare := r.spare
	r.spare = nil
	r.mu.Unlock()
	if spare != nil {
		select {
		case <-spare.Done(): // it died while it waited
			r.discard(spare)
		default:
			return spare, nil
		}
	}
	return r.start(ctx, "", nil)
}

// Prepare starts an interpreter in advance, in the background.
func (r *Runner) Prepare() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.spare != nil {
		return
	}
	r.working.Add(1)
	go func() {
		defer r.working.Done()
		process, err := r.start(context.Background(), "", nil)
		if err != nil {
			return // the next call meets the same error and reports it
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.closed || r.spare != nil {
			r.working.Add(1)
			go r.end(process)
			return
		}
		r.spare = process
		if r.expiry != nil {
			r.expiry.Stop()
		}
		r.expiry = time.AfterFunc(spareLife, r.dropSpare)
	}()
}

func (r *Runner) dropSpare() {
	r.mu.Lock()
	spare := r.spare
	r.spare = nil
	r.mu.Unlock()
	if spare != nil {
		r.discard(spare)
	}
}

// discard ends an interpreter in the background.
func (r *Runner) discard(process sandbox.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.working.Add(1)
	go r.end(process)
}

func (r *Runner) end(process sandbox.Process) {
	defer r.working.Done()
	process.Close()
}

// Close ends the interpreters that wait, and returns when all are gone.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	if r.expiry != nil {
		r.expiry.Stop()
	}
	r.mu.Unlock()
	r.dropSpare()
	r.working.Wait()
}

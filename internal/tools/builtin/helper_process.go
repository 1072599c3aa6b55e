package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/reexec"
)

// helper is work on what strangers wrote that is done by a process of its own:
// this program once more, under limits. Such input drives a library round in
// circles, out of memory or out of stack, which nothing inside a process can
// stop or survive.
type helper struct {
	name   string
	memory uint64 // bytes of the process's data
	stack  int    // bytes of one goroutine's stack
	file   uint64 // bytes of one file that it may write
	answer int    // bytes of the answer that are taken

	inherits func(variable string) bool // of this program's environment; nil: nothing

	work func(in []byte) (any, error)
}

// Helpers are the helper processes of the tools.
func Helpers() reexec.Table {
	return helperTable(jqHelper, dbHelper, pageHelper, pdfHelper, officeHelper, duckduckgoHelper, imageHelper,
		screenHelper)
}

func helperTable(helpers ...*helper) reexec.Table {
	table := reexec.Table{}
	for _, h := range helpers {
		table[h.name] = h.main
	}
	return table
}

// How a helper ends that does not answer. Callers say it in words of their task.
var (
	errHelperTime = errors.New("the helper process was stopped after its time")
	errHelperDied = errors.New("the helper process died: it took too much memory, stack or output")
)

// main is the helper process.
func (h *helper) main([]string) int {
	if err := h.answerOne(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// helperCPU is the processor time after which the kernel ends a helper that
// nobody waits for any more, seconds.
const helperCPU = 20

// answerOne limits this process, works on its input and writes the answer.
func (h *helper) answerOne(in io.Reader, out io.Writer) error {
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_DATA:  h.memory, // what is really used; address space would count what Go reserves
		unix.RLIMIT_CPU:   helperCPU,
		unix.RLIMIT_FSIZE: h.file,
		unix.RLIMIT_CORE:  0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the helper process: %w", err)
		}
	}
	debug.SetMaxStack(h.stack)
	debug.SetMemoryLimit(int64(h.memory / 4 * 3))
	input, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the input: %w", err)
	}
	answer, err := h.work(input)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

// helperSlots bounds how many helpers of all kinds are at work at once, and with
// that what they can take from the machine together.
var helperSlots = make(chan struct{}, max(4, 2*runtime.NumCPU()))

// run has the input worked on and decodes the answer; numbers keep their digits.
// When it returns, the process is gone. Errors: errHelperTime after the limit,
// errHelperDied, that of ctx, or one of this server.
func (h *helper) run(ctx context.Context, input []byte, limit time.Duration, answer any) error {
	select {
	case helperSlots <- struct{}{}:
		defer func() { <-helperSlots }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a helper process: %w", ctx.Err())
	}
	program, err := reexec.Program()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	args, err := reexec.Args(h.name)
	if err != nil {
		return fmt.Errorf("start a helper process: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	process := exec.CommandContext(within, program, args...)
	process.Args[0] = "nanoclaw-helper-" + h.name // for who looks at the processes
	process.Env = h.environment()
	process.Dir = os.TempDir()
	process.Stdin = bytes.NewReader(input)
	process.WaitDelay = time.Second
	out := boundedBuffer{room: h.answer}
	process.Stdout = &out
	err = process.Run()
	var died *exec.ExitError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return fmt.Errorf("run the helper process: %w", ctx.Err())
	case within.Err() != nil:
		return errHelperTime
	case errors.As(err, &died), errors.Is(err, errHelperDied):
		return errHelperDied
	default:
		return fmt.Errorf("start the helper process: %w", err)
	}
	decoder := json.NewDecoder(&out.data)
	decoder.UseNumber()
	if err := decoder.Decode(answer); err != nil {
		return fmt.Errorf("read the helper process's answer: %w", err)
	}
	return nil
}

func (h *helper) environment() []string {
	env := []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); h.inherits != nil && h.inherits(name) {
			env = append(env, variable)
		}
	}
	return env
}

// boundedBuffer refuses what goes beyond its room. It is no io.ReaderFrom, which
// would let the rest in.
type boundedBuffer struct {
	data bytes.Buffer
	room int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, errHelperDied
	}
	return b.data.Write(p)
}

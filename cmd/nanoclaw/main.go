// Command nanoclaw is the NanoClaw server and its command-line tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"nanoclaw/internal/app"
	"nanoclaw/internal/datadir"
	processes "nanoclaw/internal/process" // process is a type of the tests
	"nanoclaw/internal/reexec"
)

// version is set by the build.
var version = "dev"

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 130
)

// usageError is a wrong command line: exit code 2.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

var (
	// errStopped says that a person stopped the work: exit code 130.
	errStopped = errors.New("stopped")
	// errTold is a failure that was shown already: exit code 1, and no more words.
	errTold = errors.New("failed")
)

// program is one invocation, with everything that a test replaces.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(name string) (string, bool)
	// terminal is the size of the terminal that a stream is connected to; ok is
	// false where it is none.
	terminal func(stream any) (columns, rows int, ok bool)
	owner    func(dataDir string) (*datadir.Owner, error)
	serveApp func(context.Context, app.ServeOptions) error
	pause    time.Duration // of a client before it tries again; 0: firstPause

	decisionToken string // see token
}

// command is one word behind nanoclaw.
type command struct {
	name    string
	summary string
	run     func(p *program, ctx context.Context, args []string) error
}

// commands in the order of the help text.
func commands() []command {
	return []command{
		{"serve", "serve the web app and the API", (*program).serve},
		{"run", "run one turn in the terminal", (*program).runTurn},
		{"acp", "be an editor's agent: speak the Agent Client Protocol on standard input and output",
			(*program).serveACP},
		{"mcp", "speak the Model Context Protocol on standard input and output", (*program).serveMCP},
		{"doctor", "say what works on this machine and how to get what does not", (*program).doctor},
		{"config", "check, print or read the configuration", (*program).config},
		{"migrate", "copy the SQLite database to PostgreSQL", (*program).migrate},
		{"backup", "write a consistent copy of the data, also while the server runs", (*program).backup},
		{"restore", "put a backup in the place of the data", (*program).restore},
		{"user", "accounts: add, list, passwd, disable, enable, token", (*program).user},
		{"audit", "verify that nobody changed the record of what was done", (*program).audit},
		{"completion", "print the completion script of bash, zsh or fish", (*program).completion},
		{"version", "print the version", (*program).version},
	}
}

// The first thread is the main goroutine's alone, as process.Adopt needs it.
func init() { runtime.LockOSThread() }

func main() {
	reexec.Main(app.Helpers())
	code, err := processes.Adopt(func() int { return newProgram().main(untilStopped(), os.Args[1:]) })
	if err != nil {
		fmt.Fprintf(os.Stderr, "nanoclaw: %v\n", err)
		code = exitFailed
	}
	os.Exit(code)
}

// untilStopped is a context that ends when a person asks the program to stop.
func untilStopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals // the first one asks to stop, the second one does not wait
		cancel()
		<-signals
		os.Exit(exitStopped)
	}()
	return ctx
}

func newProgram() *program {
	return &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv,
		terminal: terminalSize, owner: datadir.FindOwner, serveApp: app.Serve,
	}
}

// main runs a command line and returns the exit code.
func (p *program) main(ctx context.Context, args []string) int {
	err := p.dispatch(ctx, args)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errStopped):
		return exitStopped
	case errors.Is(err, errTold):
		return exitFailed
	}
	fmt.Fprintf(p.stderr, "nanoclaw: %v\n", err)
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func (p *program) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		p.help(p.stderr)
		return usagef("a command is missing")
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(rest) == 0 {
			p.help(p.stdout)
			return nil
		}
		name, rest = rest[0], []string{"-h"}
	case "-v", "-version", "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(p, ctx, rest)
		}
	}
	return usagef("there is no command %q: nanoclaw help lists them", name)
}

func (p *program) help(w io.Writer) {
	fmt.Fprint(w, "NanoClaw: chat with agents that work in your projects.\n\nUsage: nanoclaw COMMAND [FLAGS]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nnanoclaw COMMAND -h tells the flags of a command.\n")
}

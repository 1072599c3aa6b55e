package shell

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/shellanalysis"
)

//go:embed session.sh
var sessionScript string

// Descriptors of the shell.
const (
	outDescriptor     = 1
	errDescriptor     = 2
	commandDescriptor = 3
	messageDescriptor = 4
)

// stopGrace is how long processes may take to end after SIGTERM.
const stopGrace = 2 * time.Second

// Settings are what a session is made of.
type Settings struct {
	Policy      sandbox.Policy
	Project     string // directory of the host; empty: a temporary one, removed at the end
	Env         map[string]string
	Limits      sandbox.Limits
	Proxy       sandbox.Proxy               // the only way out to the network; nil: none
	Startup     []string                    // run in every new shell, also after a timeout and a restart
	Shutdown    []string                    // run before the end of the session
	OutputLimit int                         // bytes of each of stdout and stderr that are kept
	OverQuota   func(context.Context) error // says that the project is over its quota; nil: nobody watches what runs in the background
	KeepWhole   int64                       // bytes of each that are kept in a file where OutputLimit drops some; 0: none
}

// Command is one command line.
type Command struct {
	Line    string
	Dir     string // to change to first, as the shell sees it; a relative one starts at the project
	Timeout time.Duration
}

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
	Limits        []string // resource limits that the command met: memory, processes, cpu_time, file_size
}

// Session is one shell, started when it is first needed and again when it ended.
// It runs one command at a time; others wait.
type Session struct {
	settings Settings
	turn     chan struct{} // held by who runs a command
	closed   bool

	process sandbox.Process // nil: none runs
	wake    *wakePipe
	dir     string // last known working directory
	state   string // what a shell that exited left behind
	temp    string // directory of a session without a project
	history []string
	ending  sync.WaitGroup // shells that were abandoned and still end
	rest    int            // processes of the shell while nothing runs in it; -1: not known
	quit    chan struct{}  // closed when the session is
	watched bool           // somebody watches what runs in the background
	stopped string         // why the shell was ended between two commands; empty: it was not
}

// keptHistory is how many commands a new shell finds in its history.
const keptHistory = 200

// ErrClosed says that a session was closed.
var ErrClosed = errors.New("the shell session is closed")

// NewSession makes a session. Close must be called.
func NewSession(settings Settings) *Session {
	return &Session{settings: settings, turn: make(chan struct{}, 1), quit: make(chan struct{})}
}

// Run runs a command. A command that cannot be parsed is answered with status 2
// and a message on stderr, as bash would. Errors are those of the sandbox and of
// starting the shell; the end of ctx is a Result with Cancelled.
func (s *Session) Run(ctx context.Context, command Command) (Result, error) {
	if err := s.acquire(ctx); err != nil {
		return Result{}, err
	}
	defer s.release()
	if s.closed {
		return Result{}, ErrClosed
	}
	line, mended := shellanalysis.Mend(command.Line)
	if _, err := shellanalysis.Parse(line); err != nil {
		return Result{ExitCode: 2, Stderr: "bash: " + err.Error() + "\n", Dir: s.dir}, nil
	}
	note := s.stopped
	s.stopped = ""
	if err := s.ensure(ctx); err != nil {
		return Result{}, err
	}
	defer s.watchBackground()
	if command.Dir != "" {
		result, err := s.execute(ctx, s.changeDir(command.Dir), command.Timeout)
		if err != nil || result.ExitCode != 0 || result.Restarted {
			return result, err
		}
	}
	s.remember(line)
	result, err := s.execute(ctx, line, command.Timeout)
	result.Mended = mended
	result.Stderr = note + result.Stderr
	return result, err
}

// CloseFiles closes the files of a result.
func (r Result) CloseFiles() {
	for _, file := range []*os.File{r.WholeStdout, r.WholeStderr} {
		if file != nil {
			_ = file.Close() // its name is gone already
		}
	}
}

// Restart ends the shell with everything that runs in it. The next command has
// a new one, in the project's directory.
func (s *Session) Restart(ctx context.Context) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.closed {
		return ErrClosed
	}
	s.shutDown(ctx)
	s.state, s.dir = "", ""
	return s.ensure(ctx)
}

// Close runs the shutdown commands, ends the shell and removes the temporary directory.
func (s *Session) Close(ctx context.Context) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.quit)
	s.shutDown(ctx)
	s.ending.Wait()
	if s.temp != "" {
		return os.RemoveAll(s.temp)
	}
	return nil
}

// shutDown runs the shutdown commands, where a shell runs, and ends it.
func (s *Session) shutDown(ctx context.Context) {
	for _, line := range s.settings.Shutdown {
		if s.process == nil {
			break
		}
		result, err := s.execute(ctx, line, stopGrace)
		if err != nil {
			break
		}
		result.CloseFiles()
	}
	s.stopShell(stopGrace)
}

func (s *Session) acquire(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) release() { <-s.turn }

// ensure starts a shell where none runs.
func (s *Session) ensure(ctx context.Context) error {
	if s.process != nil {
		return nil
	}
	project := s.settings.Project
	if project == "" && s.temp == "" {
		temp, err := os.MkdirTemp("", "nanoclaw-shell-")
		if err != nil {
			return fmt.Errorf("make a directory for the shell session: %w", err)
		}
		s.temp = temp
	}
	if project == "" {
		project = s.temp
	}
	wake, err := newWakePipe()
	if err != nil {
		return err
	}
	process, err := s.settings.Policy.Start(ctx, sandbox.Spec{
		Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", sessionScript, "bash"}, Project: project, Env: s.settings.Env, Limits: s.settings.Limits, Proxy: s.settings.Proxy,
		Pipes: []sandbox.Direction{sandbox.Null, sandbox.Out, sandbox.Out, sandbox.In, sandbox.Out},
	})
	if err != nil {
		wake.close()
		return fmt.Errorf("start a shell: %w", err)
	}
	s.process, s.wake = process, wake
	s.rest = -1
	if s.dir == "" {
		s.dir = s.settings.Policy.ProjectPath(project)
	}
	err = s.prepare(ctx)
	if s.process != nil {
		s.rest = s.process.Load().Processes
	}
	return err
}

// prepare brings a new shell to where the last one was.
func (s *Session) prepare(ctx context.Context) error {
	for _, line := range s.settings.Startup {
		result, err := s.execute(ctx, line, stopGrace*15)
		if err != nil {
			return err
		}
		result.CloseFiles()
		if s.process == nil {
			return fmt.Errorf("the startup command %q ended the shell (status %d): %s", line, result.ExitCode, result.Stderr)
		}
	}
	if s.state == "" && len(s.history) == 0 {
		return nil
	}
	dir := s.dir
	var restore strings.Builder
	// Read-only variables of the shell's own refuse to be set; that is not worth a word.
	restore.WriteString("{ eval -- " + shellanalysis.Quote(s.state) + "; history -c; ")
	for _, line := range s.history {
		restore.WriteString("history -s -- " + shellanalysis.Quote(line) + "; ")
	}
	restore.WriteString("cd -- " + shellanalysis.Quote(dir) + "; } >/dev/null 2>&1")
	s.state = ""
	result, err := s.execute(ctx, restore.String(), stopGrace)
	result.CloseFiles()
	return err
}

func (s *Session) changeDir(dir string) string {
	if !strings.HasPrefix(dir, "/") {
		project := s.settings.Project
		if project == "" {
			project = s.temp
		}
		dir = s.settings.Policy.ProjectPath(project) + "/" + dir
	}
	return "cd -- " + shellanalysis.Quote(dir)
}

func (s *Session) remember(line string) {
	s.history = append(s.history, line)
	if extra := len(s.history) - keptHistory; extra > 0 {
		s.history = s.history[extra:]
	}
}

// stopShell ends the shell and everything in it.
func (s *Session) stopShell(grace time.Duration) {
	if s.process == nil {
		return
	}
	s.process.Stop(grace)
	s.process.Close()
	s.wake.close()
	s.process, s.wake = nil, nil
}

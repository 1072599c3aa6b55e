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
	Policy   sandbox.Policy
	Project  string   // directory of the host; empty: a temporary one, removed at the end
	Masked   []string // paths in the project that nothing in the session may see
	Env      map[string]string
	Limits   sandbox.Limits
	Proxy    sandbox.Proxy // the only way out to the network; nil: none
	Startup  []string      // run in every new shell, also after a timeout and a restart
	Shutdown []string      // run before the end of the session

	StartupTimeout  time.Duration // of each startup command
	ShutdownTimeout time.Duration // of each shutdown command

	// Failed is told of a startup or shutdown command that failed; nil: nobody is.
	Failed func(kind, line, why string)

	Home        string // directory of the host that is HOME; empty: none that lasts
	OutputLimit int    // bytes of each of stdout and stderr that are kept
	// says that the project is over its quota; nil: nobody watches what runs in the background
	OverQuota func(context.Context) error
	// bytes of each that are kept in a file where OutputLimit drops some; 0: none
	KeepWhole int64
}

// Command is one command line.
type Command struct {
	Line    string
	Dir     string // to change to first, as the shell sees it; a relative one starts at the project
	Timeout time.Duration

	// Printed is told the last lines of the output again and again while the command
	// runs; nil: nobody listens. It must not block for long.
	Printed func(lines string)
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
	// what the next command's reader is told of the shell first: why it was ended, what failed at its start
	stopped string
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
	if err := s.ensure(ctx); err != nil {
		return Result{}, err
	}
	note := s.stopped
	s.stopped = ""
	defer s.watchBackground()
	if command.Dir != "" {
		result, err := s.execute(ctx, Command{Line: s.changeDir(command.Dir), Timeout: command.Timeout})
		switch {
		case err != nil || result.TimedOut || result.Cancelled:
			return result, err
		case result.ExitCode != 0 || result.Restarted:
			result.CloseFiles()
			return Result{}, &DirectoryError{Dir: command.Dir, Reason: strings.TrimSpace(result.Stderr)}
		}
	}
	s.remember(line)
	command.Line = line
	result, err := s.execute(ctx, command)
	result.Mended = mended
	result.Stderr = note + result.Stderr
	return result, err
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

// report tells of a startup or shutdown command that failed.
func (s *Session) report(kind, line, why string) {
	if s.settings.Failed != nil {
		s.settings.Failed(kind, line, why)
	}
}

// shutDown runs the shutdown commands, where a shell runs, and ends it.
func (s *Session) shutDown(ctx context.Context) {
	for _, line := range s.settings.Shutdown {
		if s.process == nil {
			break
		}
		result, err := s.execute(ctx, Command{Line: line, Timeout: s.settings.ShutdownTimeout})
		if err != nil {
			s.report("shutdown", line, err.Error())
			break
		}
		result.CloseFiles()
		if why := failure(result, s.settings.ShutdownTimeout); why != "" {
			s.report("shutdown", line, why)
		}
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
		Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", sessionScript, "bash"}, Project: project,
		Masked: s.settings.Masked, Home: s.settings.Home, Env: s.settings.Env, Limits: s.settings.Limits,
		Proxy: s.settings.Proxy,
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
		result, err := s.execute(ctx, Command{Line: line, Timeout: s.settings.StartupTimeout})
		if err != nil {
			return err
		}
		result.CloseFiles()
		why := failure(result, s.settings.StartupTimeout)
		if s.process == nil && why == "" {
			why = "ended the shell"
		}
		if result.Cancelled {
			return context.Cause(ctx)
		}
		if why == "" {
			continue
		}
		s.report("startup", line, why)
		if s.process == nil {
			return &StartupError{Line: line, Reason: why}
		}
		s.stopped += fmt.Sprintf("nanoclaw: the startup command %q (shell.startup_commands) %s\n", line, why)
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
	result, err := s.execute(ctx, Command{Line: restore.String(), Timeout: stopGrace})
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

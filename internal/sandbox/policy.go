package sandbox

import (
	"context"
	"time"
)

// Policy starts processes in one kind of isolation. It is safe for concurrent use.
type Policy interface {
	// Name is the policy's name in config.yml: host, docker or sandbox.
	Name() string

	// ProjectPath is where a process finds the project that lies in a directory of the host.
	ProjectPath(project string) string

	// Start starts a process. When ctx ends before it is up it is an error; later
	// the end of ctx means nothing, and the process lives until it exits or is stopped.
	Start(ctx context.Context, spec Spec) (Process, error)

	// Facts says what the policy enforces on this machine, one sentence each.
	Facts() []string
}

// Process is a running tree of processes.
type Process interface {
	// Pipe is the server's end of a descriptor, as Spec.Pipes orders them; nil for
	// a Null one.
	Pipe(descriptor int) *Pipe

	// Done is closed when the first process of the tree has exited.
	Done() <-chan struct{}

	// ExitCode is the exit status after Done, or 128 and the signal's number.
	ExitCode() int

	// Settle is called between commands: it makes harmless what the tree wrote into
	// the project at names that programs outside of it run or obey.
	Settle()

	// Load says what the tree takes now, and which limits it has met.
	Load() Load

	// Stop ends the whole tree: SIGTERM, and SIGKILL to what is left after the
	// grace. It returns when nothing is left, and may be called more than once. The
	// pipes can still be read.
	Stop(grace time.Duration)

	// Close stops the tree without grace and closes the pipes. Nothing may use them
	// at the same time.
	Close()
}

// Load is what a tree of processes takes and which of its limits it has met so
// far. Without control groups of its own nothing is known, and Processes is -1.
type Load struct {
	Processes        int   // threads count too; the engine's own among them
	MemoryKills      int64 // processes that were ended since the tree had no more memory
	ProcessesRefused int64 // processes that could not be started
}

// Direction says what a descriptor of a process is.
type Direction int

// The directions of descriptors.
const (
	Null Direction = iota // /dev/null
	In                    // the process reads what the server writes
	Out                   // the server reads what the process writes
)

// Spec is what to start.
type Spec struct {
	Argv    []string
	Dir     string            // as the process sees it; empty: the project, or /tmp
	Env     map[string]string // beside a small environment of the policy's own
	Project string            // directory of the host that the process may write to; empty: none
	// paths in the project that the process may neither see nor replace; policy host cannot hide them
	Masked  []string
	Home    string      // directory of the host that is its HOME; empty: one of its own in /tmp
	Visible []string    // directories of the host that it may read, at the same paths
	Pipes   []Direction // of descriptors 0, 1, 2, …
	Limits  Limits
	Proxy   Proxy // the only way out of the sandbox; nil: none. Policy host has no use for it
	NoTCP   bool  // not even within the sandbox, where the machine can forbid that

	// UnixSockets lets it make Unix sockets. One that lies in a directory that it sees
	// leads out: not together with a Project.
	UnixSockets bool
}

// Limits bound a tree of processes. Zero is no limit.
type Limits struct {
	Memory       int64         // bytes of the whole tree where control groups can be used, else of each process
	AddressSpace int64         // bytes of each process
	CPUs         float64       // of the whole tree, where control groups can be used
	CPUTime      time.Duration // of each process
	Processes    int           // of the whole tree
	FileSize     int64         // bytes of one file
	OpenFiles    int           // of each process
	TempSize     int64         // bytes of /tmp
}

// UnavailableError says that a policy cannot be used on this machine and what to do.
type UnavailableError struct {
	Policy string
	Reason string // what is missing and how to get it
	Err    error  // what was tried, where it failed with an error
}

func (e *UnavailableError) Error() string {
	text := "the policy " + e.Policy + " cannot be used: " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap is the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// ErrorCode is the code that a tool call answers with.
func (e *UnavailableError) ErrorCode() string { return "unavailable" }

// insideProject is where an isolated process finds its project.
const insideProject = "/workspace"

// insideHome is where an isolated process finds the home that lasts.
const insideHome = "/home/agent"

package acp

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"nanoclaw/internal/clock"
	"nanoclaw/internal/config"
	"nanoclaw/internal/process"
	"nanoclaw/internal/tools"
)

const (
	// endGrace is how long the program may take to end by itself once its task is done.
	endGrace = 2 * time.Second
	// stopGrace is the same when the task is stopped: a stopped run ends within half a second.
	stopGrace = 40 * time.Millisecond
	// endingTimeout is how long after its last word a program may take to end.
	endingTimeout = 300 * time.Millisecond
	// authRequired is the code by which an agent says that nobody is logged in.
	authRequired = -32000
)

// task is one message to an agent, and the agent's client while it works on it.
type task struct {
	agents *Agents
	name   string
	call   tools.Call
	ctx    context.Context // of the call: a request's own has none of its values
	clock  *clock.Clock
	place  *place

	requests sync.WaitGroup // of the agent, under way

	mu     sync.Mutex
	ended  bool // no request is taken any more
	answer tools.ExternalAnswer
	text   strings.Builder
	told   time.Time // of the last progress note
	titles map[acp.ToolCallId]string
}

var _ acp.Client = (*task)(nil)

// A heldReader reads nothing until begin is closed.
type heldReader struct {
	io.Reader
	begin chan struct{}
}

func (r *heldReader) Read(p []byte) (int, error) {
	<-r.begin
	return r.Reader.Read(p)
}

// run takes the message to the agent and waits for the end of its turn. When it
// returns, the program is gone and nothing of the task is under way.
func (t *task) run(ctx context.Context, configured config.External, message string) error {
	t.answer.Agent, t.titles = t.name, map[acp.ToolCallId]string{}
	env := make(map[string]string, len(configured.Env))
	for name, value := range configured.Env {
		env[name] = value.Reveal()
	}
	program, err := process.Start(process.Spec{
		Command: configured.Command, Args: configured.Args, Env: env, Dir: t.place.dir,
		Stderr: func(line string) {
			t.agents.Logger.Info("an external agent says", "agent", t.name, "line", t.agents.Redact(line))
		},
	})
	if err != nil {
		return tools.Errorf(tools.CodeUnavailable, "%v", err)
	}
	// The library reads at once, and looks at its logger where the reading ends.
	output := &heldReader{Reader: program.Stdout, begin: make(chan struct{})}
	connection := acp.NewClientSideConnection(t, program.Stdin, output)
	connection.SetLogger(t.agents.Logger.With("agent", t.name))
	close(output.begin)
	var watching sync.WaitGroup
	watching.Go(func() { t.endOutput(program, connection) })
	defer watching.Wait()
	killed := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(killed)
		t.kill(program)
	})
	err = t.converse(ctx, connection, message)
	if unhook() {
		if err != nil {
			err = t.explain(program, err)
		}
		program.Stop(endGrace)
	} else {
		<-killed
	}
	<-connection.Done()
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.requests.Wait()
	return err
}

// endOutput ends the conversation with a program that has ended. What it started
// and left running may hold its output open: without this nobody would learn that
// no answer comes.
func (t *task) endOutput(program *process.Process, connection *acp.ClientSideConnection) {
	select {
	case <-program.Done():
	case <-connection.Done():
		return
	}
	timer := time.NewTimer(endingTimeout) // for its last words
	defer timer.Stop()
	select {
	case <-connection.Done():
	case <-timer.C:
		// Closed twice is closed.
		_ = program.Stdout.Close()
	}
}

// kill stops a program whose task is over before its time. The protocol's client
// tells the agent that its turn is cancelled; it has a moment to hear it.
func (t *task) kill(program *process.Process) {
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-program.Done():
	case <-timer.C:
	}
	program.Stop(stopGrace)
}

// converse is the protocol's way from the handshake to the end of the turn.
func (t *task) converse(ctx context.Context, connection *acp.ClientSideConnection, message string) error {
	hello, err := connection.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientInfo:      &acp.Implementation{Name: "nanoclaw", Version: t.agents.Version},
		ClientCapabilities: acp.ClientCapabilities{
			Fs: acp.FileSystemCapabilities{ReadTextFile: t.place.files != nil, WriteTextFile: t.place.files != nil},
		},
	})
	if err != nil {
		return err
	}
	if hello.ProtocolVersion != acp.ProtocolVersionNumber {
		return tools.Errorf(tools.CodeUnavailable,
			"the agent %s speaks version %d of the Agent Client Protocol, this server version %d", t.name,
			hello.ProtocolVersion, acp.ProtocolVersionNumber)
	}
	session, err := connection.NewSession(ctx, acp.NewSessionRequest{Cwd: t.place.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		return err
	}
	turn, err := connection.Prompt(ctx, acp.PromptRequest{SessionId: session.SessionId,
		Prompt: []acp.ContentBlock{acp.TextBlock(message)}})
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.answer.StopReason = string(turn.StopReason)
	t.mu.Unlock()
	switch turn.StopReason {
	case acp.StopReasonEndTurn:
	case acp.StopReasonRefusal:
		return tools.Errorf(codeFailed, "the agent %s refused the task", t.name)
	case acp.StopReasonCancelled:
		return tools.Errorf(codeFailed, "the agent %s stopped by itself before it finished", t.name)
	default: // a limit of its own
		t.mu.Lock()
		t.answer.Incomplete = true
		t.mu.Unlock()
	}
	return nil
}

// explain says in our words why the conversation failed.
func (t *task) explain(program *process.Process, err error) error {
	var own *tools.Error
	if errors.As(err, &own) {
		return err
	}
	timer := time.NewTimer(endingTimeout)
	defer timer.Stop()
	var answered *acp.RequestError
	switch {
	case errors.As(err, &answered) && answered.Code == authRequired:
		return tools.Errorf(tools.CodeUnavailable,
			"the agent %s needs a login: start %s once in a terminal of the server and log in",
			t.name, t.name)
	case errors.As(err, &answered) && answered.Code != -32603:
		return tools.Errorf(codeFailed, "the agent %s answered with an error: %s", t.name, cut(answered.Error(), 2000))
	}
	select {
	case <-program.Done():
		return tools.Errorf(codeFailed, "the program of the agent %s ended before it finished: %s", t.name,
			program.Ending())
	case <-timer.C:
		return tools.Errorf(codeFailed, "the agent %s failed: %s", t.name, cut(err.Error(), 2000))
	}
}

// guarded keeps a request of the agent from outliving its task, and a mistake in
// it from ending the server. Use: defer t.guarded(&err)().
func (t *task) guarded(err *error) func() {
	t.mu.Lock()
	if !t.ended {
		t.requests.Add(1)
	}
	late := t.ended
	t.mu.Unlock()
	return func() {
		if panicked := recover(); panicked != nil {
			t.agents.Logger.Error("a request of an external agent panicked", "agent", t.name, "panic", panicked,
				"stack", string(debug.Stack()))
			*err = acp.NewInternalError(map[string]any{"error": "internal error; see the server log"})
		}
		if !late {
			t.requests.Done()
		}
	}
}

// outcome is what there is of an answer.
func (t *task) outcome() tools.ExternalAnswer {
	t.mu.Lock()
	defer t.mu.Unlock()
	answer := t.answer
	answer.Response = strings.TrimSpace(t.text.String())
	return answer
}

func (t *task) refuse(action, reason string) {
	t.mu.Lock()
	if len(t.answer.Refused) < maxNotes {
		t.answer.Refused = append(t.answer.Refused, tools.RefusedAction{Action: action, Reason: reason})
	}
	t.mu.Unlock()
	t.report("refused: "+action, -1)
}

// wrote notes a file, once.
func (t *task) wrote(file tools.ExternalFileNote) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, known := range t.answer.Files {
		if known.Path == file.Path {
			return
		}
	}
	if len(t.answer.Files) < maxNotes {
		t.answer.Files = append(t.answer.Files, file)
	}
}

// maxNotes is how many files and refusals an answer lists.
const maxNotes = 200

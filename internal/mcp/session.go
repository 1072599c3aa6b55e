package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

const (
	// maxTools is how many tools of one server are looked at.
	maxTools = 1000
	// pingInterval is how often a server that is reached over HTTP is asked whether it lives.
	pingInterval = 30 * time.Second
	closeTimeout = 3 * time.Second
	// endingTimeout is how long after its last word a program may take to end.
	endingTimeout = 300 * time.Millisecond
)

// session is a server that was started or reached, up to its loss.
type session struct {
	server *server
	client *mcp.ClientSession
	link   *link
	watch  sync.WaitGroup // those that wait for the server's end

	opened     atomic.Bool // it has shaken hands
	startLimit *time.Timer // ends a start that takes too long

	over    context.Context // ends when the server is lost or retired; the cause says why
	end     context.CancelCauseFunc
	changed chan struct{} // its tools are to be listed anew

	tokens atomic.Int64
	mu     sync.Mutex
	calls  map[string]*underWay // by token
}

// open starts or reaches the server and shakes hands.
func (s *server) open() (*session, error) {
	one := &session{server: s, changed: make(chan struct{}, 1), calls: map[string]*underWay{}}
	one.over, one.end = context.WithCancelCause(s.ctx)
	link, err := one.dial()
	if err != nil {
		one.end(errLost)
		return nil, err
	}
	one.link = link
	options := &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { one.toolsChanged() },
		ProgressNotificationHandler: func(_ context.Context,
			r *mcp.ProgressNotificationClientRequest) {
			one.progressed(r.Params)
		},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // call does it, and knows the call
	}
	one.canAsk(options)
	if link.process == nil {
		options.KeepAlive, options.KeepAliveFailureThreshold = pingInterval, 2
	}
	ctx, cancel := context.WithCancelCause(one.over)
	defer cancel(nil)
	one.startLimit = time.AfterFunc(startTimeout,
		func() { cancel(fmt.Errorf("it did not answer within %s", startTimeout)) })
	defer one.startLimit.Stop()
	if link.process != nil {
		stop := context.AfterFunc(ctx, link.abandon)
		defer stop()
		one.watch.Go(one.watchProcess)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "nanoclaw", Version: orDev(s.servers.Version)}, options)
	client.AddReceivingMiddleware(s.recovered)
	one.client, err = client.Connect(ctx, link.transport, nil)
	if err != nil {
		if ctx.Err() != nil && s.ctx.Err() == nil {
			err = context.Cause(ctx)
		}
		err = one.explain(fmt.Errorf("start the MCP server %s: %w", s.name, err))
		one.end(errLost)
		link.close()
		one.watch.Wait()
		return nil, err
	}
	one.opened.Store(true)
	one.watch.Go(func() { one.end(ending(one.client.Wait())) })
	return one, nil
}

// watchProcess ends the session with its program. What the program wrote last is
// read first, unless somebody else holds its output open.
func (s *session) watchProcess() {
	select {
	case <-s.over.Done():
		return
	case <-s.link.process.Done():
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-s.over.Done():
	case <-timer.C:
		s.end(errLost)
	}
}

func orDev(version string) string {
	if version == "" {
		return "dev"
	}
	return version
}

func ending(err error) error {
	if err == nil {
		return errLost
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// close ends the session and what was started for it, and waits for both.
func (s *session) close() {
	s.end(errLost) // calls under way come back first: closing would wait for them
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// The server may be gone already; there is nobody to tell.
		_ = s.client.Close()
	}()
	if s.link.process == nil {
		timer := time.NewTimer(closeTimeout)
		defer timer.Stop()
		select {
		case <-closed:
		case <-timer.C:
		}
	}
	s.link.close()
	<-closed
	s.watch.Wait()
}

// explain says of a loss how the server's program ended, where it did by itself.
func (s *session) explain(err error) error {
	if s.link.process == nil || s.server.ctx.Err() != nil {
		return err
	}
	timer := time.NewTimer(endingTimeout)
	defer timer.Stop()
	select {
	case <-s.link.process.Done():
		return fmt.Errorf("the program of the MCP server %s ended: %s", s.server.name, s.link.process.Ending())
	case <-timer.C:
		return err
	}
}

func (s *session) list(ctx context.Context) ([]*mcp.Tool, error) {
	var listed []*mcp.Tool
	for tool, err := range s.client.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if listed = append(listed, tool); len(listed) > maxTools {
			return nil, fmt.Errorf("it has more than %d tools", maxTools)
		}
	}
	return listed, nil
}

// toolsChanged wakes the server's life; several changes at once are one.
func (s *session) toolsChanged() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// progressed passes a note on to the call that it is about.
func (s *session) progressed(note *mcp.ProgressNotificationParams) {
	token, _ := note.ProgressToken.(string)
	s.mu.Lock()
	one := s.calls[token]
	s.mu.Unlock()
	if one != nil {
		one.notes.pass(note)
	}
}

// call runs a tool of the server, and answers what it asks on the way. The error is
// that of ctx, errLost or a *lossError with what is known of the loss, or a refusal
// of the server's or ours (*jsonrpc.Error).
func (s *session) call(ctx context.Context, call tools.Call, name string, args any) (*mcp.CallToolResult, error) {
	number := s.tokens.Add(1)
	token := fmt.Sprintf("call-%d", number)
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(token)
	one := &underWay{ctx: ctx, call: call, number: number, notes: &progressNotes{tell: call.Progress}}
	s.mu.Lock()
	s.calls[token] = one
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.calls, token)
		s.mu.Unlock()
		one.notes.end()
	}()
	for range maxRounds {
		var result *mcp.CallToolResult
		err := s.request(ctx, func(ctx context.Context) (err error) {
			result, err = s.client.CallTool(ctx, params)
			return err
		})
		if err != nil || !result.NeedsInput() {
			return result, err
		}
		answers, err := s.answerQuestions(ctx, call, result.InputRequests)
		if err != nil {
			return nil, err
		}
		params.InputResponses, params.RequestState = answers, result.RequestState
	}
	return nil, refuse(jsonrpc.CodeInternalError, "it asked for more input %d times", maxRounds)
}

// request sends a request of the protocol. Its errors are those of call.
func (s *session) request(ctx context.Context, send func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(s.over, func() { cancel(errLost) })
	defer stop()
	err := send(ctx)
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused) && !undelivered(refused):
		return err
	}
	// The connection is of no use any more: the server is started or reached again.
	err = fmt.Errorf("%w: %w", errLost, err)
	s.end(err)
	return &lossError{err}
}

// lossError hides a refusal in its chain that is none of the server's.
type lossError struct{ err error }

func (e *lossError) Error() string { return e.err.Error() }

// undelivered knows the error by which the protocol's library says that a message
// could not be sent over HTTP, or that its answer did not come. It looks like one
// of the server.
func undelivered(refused *jsonrpc.Error) bool {
	return refused.Code == -32005 && refused.Message == "rejected by transport"
}

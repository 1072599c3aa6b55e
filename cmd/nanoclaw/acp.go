package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/coder/acp-go-sdk"

	events "nanoclaw/internal/api/turn"
	"nanoclaw/internal/runs"
)

// serveACP is an agent of the Agent Client Protocol on standard input and output: a
// bridge to the API of the server that owns the data, or of one in this process.
func (p *program) serveACP(ctx context.Context, args []string) (err error) {
	e := &editorAgent{dirs: map[acp.SessionId]string{}, connected: make(chan struct{})}
	set := p.flags(
		"acp",
		"acp [--model ID] [--agent ID] [FLAGS]",
		"Speaks the Agent Client Protocol on standard input and output, for an editor that starts this program. "+
			"A session is a conversation on the files of the editor's directory.",
	)
	source := p.source(set)
	set.StringVar(&e.model, "model", "", "the `ID` of the model (default: the agent's)")
	set.StringVar(&e.agent, "agent", "", "the `ID` of the agent (default: the default one)")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	server, err := p.connect(ctx, *source, "", p.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	e.api = newClient(server.url)
	e.api.token = p.token()
	e.api.access, _ = p.env("NANOCLAW_TOKEN")
	e.api.locate = func(ctx context.Context, failed int) error { return server.locate(ctx, e.api, failed) }
	e.conn = acp.NewAgentSideConnection(e, p.stdout, p.stdin)
	close(e.connected)
	e.conn.SetLogger(slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	select {
	case <-e.conn.Done():
		return nil
	case <-ctx.Done():
		return nil
	}
}

// editorAgent implements acp.Agent. The id of a session is its conversation's.
type editorAgent struct {
	api          *client
	conn         *acp.AgentSideConnection
	connected    chan struct{} // closed once there is conn
	model, agent string

	mu   sync.Mutex
	dirs map[acp.SessionId]string // of the sessions, as the editor says
}

var (
	_ acp.Agent       = (*editorAgent)(nil)
	_ acp.AgentLoader = (*editorAgent)(nil)
)

// Initialize implements acp.Agent.
func (e *editorAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	<-e.connected // the first request may be read before
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "nanoclaw", Title: acp.Ptr("NanoClaw"), Version: version},
		AgentCapabilities: acp.AgentCapabilities{LoadSession: true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true}},
		AuthMethods: []acp.AuthMethod{},
	}, nil
}

// Authenticate implements acp.Agent: the token of NANOCLAW_TOKEN goes with each request.
func (e *editorAgent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// NewSession implements acp.Agent.
func (e *editorAgent) NewSession(ctx context.Context, params acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	dir, err := filepath.EvalSymlinks(params.Cwd)
	if err != nil {
		return acp.NewSessionResponse{}, acp.NewInvalidParams(map[string]any{"details": err.Error()})
	}
	of := &turn{project: dir, model: e.model}
	projectID, err := of.findProject(ctx, e.api)
	if err != nil {
		return acp.NewSessionResponse{}, shown(err)
	}
	settings := of.settings(projectID)
	if e.agent != "" && e.agent != runs.DefaultAgent {
		settings["agent"] = e.agent
	}
	var made struct{ ID string }
	if err := e.api.call(ctx, http.MethodPost, "/conversations", settings, &made); err != nil {
		return acp.NewSessionResponse{}, shown(err)
	}
	e.opened(acp.SessionId(made.ID), params.Cwd)
	return acp.NewSessionResponse{SessionId: acp.SessionId(made.ID)}, nil
}

// LoadSession implements acp.AgentLoader: it shows the conversation so far.
func (e *editorAgent) LoadSession(ctx context.Context, params acp.LoadSessionRequest) (acp.LoadSessionResponse,
	error) {
	var list struct {
		Items []*runs.MessageView `json:"items"`
	}
	path := "/conversations/" + url.PathEscape(string(params.SessionId)) + "/messages"
	if err := e.api.call(ctx, http.MethodGet, path, nil, &list); err != nil {
		return acp.LoadSessionResponse{}, shown(err)
	}
	for _, message := range list.Items {
		updates := []acp.SessionUpdate{acp.UpdateUserMessageText(message.Text)}
		if message.Role == events.Assistant {
			updates = nil
			for _, event := range events.Reader().Message(message) {
				updates = append(updates, updatesOf(event, params.Cwd)...)
			}
		}
		for _, update := range updates {
			if err := e.send(ctx, params.SessionId, update); err != nil {
				return acp.LoadSessionResponse{}, err
			}
		}
	}
	e.opened(params.SessionId, params.Cwd)
	return acp.LoadSessionResponse{}, nil
}

func (e *editorAgent) opened(session acp.SessionId, dir string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dirs[session] = dir
}

func (e *editorAgent) send(ctx context.Context, session acp.SessionId, update acp.SessionUpdate) error {
	return e.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: session, Update: update})
}

// Cancel implements acp.Agent: the context of the session's prompt ends, which stops its run.
func (e *editorAgent) Cancel(context.Context, acp.CancelNotification) error { return nil }

// CloseSession implements acp.Agent.
func (e *editorAgent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

// ListSessions implements acp.Agent.
func (e *editorAgent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

// ResumeSession implements acp.Agent.
func (e *editorAgent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

// SetSessionConfigOption implements acp.Agent.
func (e *editorAgent) SetSessionConfigOption(context.Context,
	acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

// SetSessionMode implements acp.Agent.
func (e *editorAgent) SetSessionMode(context.Context, acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	return acp.SetSessionModeResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetMode)
}

// shown is an error of the API as editors show it.
func shown(err error) error {
	var refusal *apiError
	if errors.As(err, &refusal) && refusal.Status < http.StatusInternalServerError {
		if refusal.Status == http.StatusUnauthorized {
			return acp.NewAuthRequired(map[string]any{"details": err.Error()})
		}
		return &acp.RequestError{Code: -32602, Message: err.Error(), Data: map[string]any{"code": refusal.Code}}
	}
	return &acp.RequestError{Code: -32603, Message: err.Error()}
}

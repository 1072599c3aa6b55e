package runs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/nearest"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// Codes of messages to agents that cannot be given.
const (
	codeUnknownAgent = "unknown_agent"
	codeSessionBusy  = "session_busy"
)

// AgentSettings are read anew at every use, so that a reload applies.
type AgentSettings struct {
	MaxDepth int       // how deep agents may call agents
	Profiles []Profile // in the order to list them
}

// Agents is the service by which an agent talks to another one. The other one
// works in a run below the call, under the permissions of both and of everyone
// above. A session is the runs that one agent answered turn by turn; its id is
// that of its first run, and it belongs to the conversation.
func (s *Service) Agents(settings func() AgentSettings) tools.Agents {
	return &agents{service: s, settings: settings}
}

type agents struct {
	service  *Service
	settings func() AgentSettings
	starting sync.Mutex // held from the look at a session to the start of its next turn
}

// Profiles implements tools.Agents.
func (a *agents) Profiles() []tools.AgentInfo {
	var list []tools.AgentInfo
	for _, profile := range a.settings().Profiles {
		list = append(list, tools.AgentInfo{ID: profile.ID, Name: firstOf(profile.Name, profile.ID),
			Description: profile.Description})
	}
	return list
}

// Check implements tools.Agents.
func (a *agents) Check(agent, message string) error {
	if strings.TrimSpace(message) == "" {
		return tools.Errorf(tools.CodeInvalidArguments,
			"message is empty: say what the agent is to do, with all that it must know")
	}
	if _, ok := a.service.Profile(agent); !ok || agent == "" {
		return a.unknown(agent)
	}
	return nil
}

// Chat implements tools.Agents.
func (a *agents) Chat(ctx context.Context, call tools.Call, message tools.AgentMessage) (tools.AgentAnswer, error) {
	limits := a.service.Settings().SubAgents
	limits.Timeout = a.service.Settings().Timeout // it is an agent at its own work, not a task
	child, err := a.turn(ctx, call, message, limits)
	if err != nil {
		return tools.AgentAnswer{}, err
	}
	results, err := a.service.fan.Await(ctx, call, []agent.Child{child}, limits.MaxConcurrency)
	if err != nil {
		return tools.AgentAnswer{}, err
	}
	result := results[0]
	return tools.AgentAnswer{
		SessionID: child.run.Settings.Session, RunID: result.RunID, Response: result.Response,
		Incomplete: result.Incomplete,
		Error:      result.Error, Code: result.Code,
	}, nil
}

// turn stores the run of a message, or finds the one that an earlier attempt at
// the call made.
func (a *agents) turn(ctx context.Context, call tools.Call, message tools.AgentMessage,
	limits agent.Limits) (*childRun, error) {
	s := a.service
	t := s.tree(call.RootRunID)
	if t == nil {
		return nil, agent.ErrLost
	}
	a.starting.Lock()
	defer a.starting.Unlock()
	run, err := s.madeBy(ctx, call)
	if err != nil {
		return nil, err
	}
	if run == nil {
		if run, err = a.newTurn(ctx, call, message); err != nil {
			return nil, err
		}
	}
	stored, err := t.addChildren(ctx, run)
	if err != nil {
		return nil, err
	}
	return t.adopt(stored[0], limits), nil
}

// madeBy is the run that a call made in an earlier attempt, or nil.
func (s *Service) madeBy(ctx context.Context, call tools.Call) (*models.Run, error) {
	below, err := s.Store.SubAgents(ctx, call.RootRunID)
	if err != nil {
		return nil, err
	}
	for _, run := range below {
		if run.ParentCallID == call.ID {
			return run, nil
		}
	}
	return nil, nil
}

// newTurn checks a message and makes the run that answers it.
func (a *agents) newTurn(ctx context.Context, call tools.Call, message tools.AgentMessage) (*models.Run, error) {
	s := a.service
	if err := a.Check(message.Agent, message.Text); err != nil {
		return nil, err
	}
	profile, ok := s.Profile(message.Agent)
	if !ok {
		return nil, a.unknown(message.Agent)
	}
	parent, err := s.Store.Run(ctx, "", call.RunID)
	if err != nil {
		return nil, err
	}
	above, err := s.lineage(ctx, parent)
	if err != nil {
		return nil, err
	}
	if limit := a.settings().MaxDepth; above.chats(parent) >= limit {
		return nil, tools.Errorf(tools.CodeBlocked,
			"agents may call agents %d deep (agents_max_depth), and %s is that deep already: it cannot call %s. "+
				"Do the work yourself, or answer what you have", limit, parent.AgentPath, message.Agent)
	}
	id := store.NewID()
	session := id
	if message.SessionID != "" {
		if err := s.continues(ctx, parent, message); err != nil {
			return nil, err
		}
		session = message.SessionID
	}
	settings := models.RunSettings{
		Model:    firstOf(profile.Model, call.Settings.Model, parent.Settings.Model),
		Thinking: parent.Settings.Thinking, Temperature: parent.Settings.Temperature,
		MaxTokens:    parent.Settings.MaxTokens,
		ToolsEnabled: parent.Settings.ToolsEnabled, MaxIterations: profile.MaxIterations, Session: session,
	}
	if settings.MaxIterations == 0 {
		settings.MaxIterations = s.Settings().MaxIterations
	}
	key := call.ID + "/0"
	return &models.Run{
		ID: id, ConversationID: parent.ConversationID, UserID: parent.UserID, ActorID: parent.ActorID,
		ProjectID: parent.ProjectID,
		RootRunID: parent.RootRunID, ParentRunID: parent.ID, ParentCallID: call.ID, TaskName: firstOf(profile.Name,
			message.Agent),
		ChildKey: &key, Agent: message.Agent, AgentPath: path.Join(parent.AgentPath, pathName(message.Agent)),
		Input: models.RunInput{Text: message.Text}, Settings: settings, CreatedAt: now(),
	}, nil
}

// unknown says which agents there are instead.
func (a *agents) unknown(id string) error {
	var known []string
	for _, profile := range a.settings().Profiles {
		known = append(known, profile.ID)
	}
	hint := "the agents are " + strings.Join(known, ", ")
	if near := nearest.Names(id, known, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s? %s", near[0], hint)
	}
	return tools.Errorf(codeUnknownAgent, "there is no agent %q; %s", id, hint)
}

// continues says why a message cannot be the next turn of its session.
func (s *Service) continues(ctx context.Context, parent *models.Run, message tools.AgentMessage) error {
	turns, err := s.Store.SessionRuns(ctx, parent.ConversationID, message.SessionID)
	if err != nil {
		return err
	}
	switch {
	case len(turns) == 0:
		return tools.Errorf(tools.CodeInvalidArguments,
			"there is no session %q in this conversation: leave session_id out to begin a new one", message.SessionID)
	case turns[0].Agent != message.Agent:
		return tools.Errorf(tools.CodeInvalidArguments, "the session %s is one with the agent %q, not %q",
			message.SessionID, turns[0].Agent, message.Agent)
	case slices.ContainsFunc(turns, func(run *models.Run) bool { return !models.RunEnded(run.Status) }):
		return tools.Errorf(codeSessionBusy,
			"the agent %s is still at work on the last message of session %s: wait for its answer, or leave "+
				"session_id out to begin a new session", message.Agent, message.SessionID)
	}
	return nil
}

package acp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"nanoclaw/internal/clock"
	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// Codes of tasks that came to nothing.
const (
	codeUnknown = "unknown_agent"
	codeFailed  = "external_agent_failed"
)

// Options are what Agents are built of.
type Options struct {
	Configured func() map[string]config.External // read at every task
	Files      workspace.Opener
	Decide     Decide              // nil: RefuseAll
	Redact     func(string) string // covers secrets in what people and logs see; nil: nothing is covered
	Logger     *slog.Logger        // nil: slog.Default()
	Version    string              // of this program, told to agents
}

// Agents are the external agents of the configuration.
type Agents struct{ Options }

var _ tools.ExternalAgents = (*Agents)(nil)

// New makes Agents. It starts nothing.
func New(o Options) *Agents {
	if o.Decide == nil {
		o.Decide = RefuseAll
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	return &Agents{Options: o}
}

// List implements tools.ExternalAgents.
func (a *Agents) List() []tools.AgentInfo {
	configured := a.Configured()
	list := make([]tools.AgentInfo, 0, len(configured))
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		list = append(list, tools.AgentInfo{ID: name, Description: configured[name].Description})
	}
	return list
}

// Delegate implements tools.ExternalAgents.
func (a *Agents) Delegate(ctx context.Context, call tools.Call, agent, message string) (tools.ExternalAnswer, error) {
	all := a.Configured()
	if err := check(all, agent, message); err != nil {
		return tools.ExternalAnswer{}, err
	}
	configured := all[agent]
	limit := configured.Timeout.Std()
	errLimit := tools.Errorf(tools.CodeTimeout,
		"the agent %s did not finish within its time limit of %s (external_agents.%s.timeout): give it a smaller task",
		agent, limit, agent)
	ctx, counting, stop := clock.WithLimit(ctx, limit, errLimit)
	defer stop()
	place, err := a.open(ctx, call.ProjectID)
	if err != nil {
		return tools.ExternalAnswer{}, err
	}
	defer place.close()
	one := &task{agents: a, name: agent, call: call, ctx: ctx, clock: counting, place: place}
	err = one.run(ctx, configured, message)
	answer := one.outcome()
	if err == nil {
		return answer, nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, withAnswer(a.Redact, err, answer)
}

// Check implements tools.ExternalAgents.
func (a *Agents) Check(agent, message string) error { return check(a.Configured(), agent, message) }

func check(configured map[string]config.External, name, message string) error {
	_, found := configured[name]
	known := slices.Sorted(maps.Keys(configured))
	switch {
	case found && strings.TrimSpace(message) == "":
		return tools.Errorf(tools.CodeInvalidArguments,
			"message is empty: give the whole task, with all that the agent must know")
	case found:
		return nil
	case len(known) == 0:
		return tools.Errorf(codeUnknown, "no external agents are configured (external_agents in config.yml)")
	}
	return tools.Errorf(codeUnknown, "there is no external agent %q; there are %s", name, strings.Join(known, ", "))
}

// withAnswer is a failed task's error with what there was of an answer.
func withAnswer(redact func(string) string, err error, answer tools.ExternalAnswer) error {
	failure := &tools.Error{Code: tools.CodeOf(err), Message: redact(err.Error())}
	var own *tools.Error
	if errors.As(err, &own) {
		failure.Message = redact(own.Message)
	} else if failure.Code == tools.CodeCancelled {
		failure.Message = fmt.Sprintf("the agent %s was stopped before it finished", answer.Agent)
	}
	if answer.Response != "" || len(answer.Files) > 0 || len(answer.Refused) > 0 {
		failure.Data = answer
	}
	return failure
}

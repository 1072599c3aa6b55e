package runs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// deniedToSubAgents are the tools that no sub-agent ever gets, under any name.
var deniedToSubAgents = []string{"multi_agent", submitTool}

// rootSpec is what the loop needs for a root run; a fresh one has no steps yet.
func (s *Service) rootSpec(ctx context.Context, t *tree, fresh bool) (agent.Spec, error) {
	run := t.root
	model, err := s.Models.Get(run.Settings.Model)
	if err != nil {
		return agent.Spec{}, err
	}
	profile, ok := s.Profile(run.Agent)
	if !ok {
		return agent.Spec{}, &agent.Error{Code: "unknown_agent",
			Message: fmt.Sprintf("the agent %q is no longer in config.yml", run.Agent)}
	}
	messages, notes, err := s.history(ctx, run, model.Info())
	if err != nil {
		return agent.Spec{}, err
	}
	spec, err := s.spec(ctx, run, profile, model, t.root)
	if err != nil {
		return agent.Spec{}, err
	}
	prompt, err := s.rootPrompt(ctx, run, profile, spec.Tools, notes)
	if err != nil {
		return agent.Spec{}, err
	}
	if !fresh {
		if spec.Steps, err = s.resumedSteps(ctx, t, run); err != nil {
			return agent.Spec{}, err
		}
	}
	spec.Context = append([]llm.Message{{Role: llm.RoleSystem, Text: prompt}}, messages...)
	spec.MaxIterations = s.Settings().MaxIterations
	if run.Settings.MaxIterations > 0 {
		spec.MaxIterations = run.Settings.MaxIterations
	}
	spec.Env.Scope = run.ConversationID + "/" + run.Agent
	spec.Steering = t.steering
	err = s.addClientTools(&spec, t)
	return spec, err
}

// childSpec is what the loop needs for a sub-agent: the parent's permissions, its
// own history.
func (s *Service) childSpec(ctx context.Context, c *childRun) (agent.Spec, error) {
	run := c.run
	model, err := s.Models.Get(run.Settings.Model)
	if err != nil {
		return agent.Spec{}, err
	}
	profile, ok := s.Profile(run.Agent)
	if !ok {
		return agent.Spec{}, &agent.Error{Code: "unknown_agent",
			Message: fmt.Sprintf("the agent %q is no longer in config.yml", run.Agent)}
	}
	earlier, err := s.sessionHistory(ctx, run, model.Info().ID)
	if err != nil {
		return agent.Spec{}, err
	}
	spec, err := s.spec(ctx, run, profile, model, c.tree.root)
	if err != nil {
		return agent.Spec{}, err
	}
	prompt, err := s.subAgentPrompt(ctx, run, profile, spec.Tools)
	if err != nil {
		return agent.Spec{}, err
	}
	if spec.Steps, err = s.resumedSteps(ctx, c.tree, run); err != nil {
		return agent.Spec{}, err
	}
	spec.Context = slices.Concat([]llm.Message{{Role: llm.RoleSystem, Text: prompt}}, earlier,
		[]llm.Message{{Role: llm.RoleUser, Text: run.Input.Text}})
	spec.MaxIterations = max(run.Settings.MaxIterations, 1)
	spec.Env.Scope = run.ID
	return spec, nil
}

// spec is what root runs and sub-agents have in common.
func (s *Service) spec(ctx context.Context, run *models.Run, profile Profile, model llm.Model,
	root *models.Run) (agent.Spec, error) {
	if err := s.mayUse(ctx, run, model.Info().ID); err != nil {
		return agent.Spec{}, err
	}
	settings := run.Settings
	env, err := s.env(ctx, run, profile)
	if err != nil {
		return agent.Spec{}, err
	}
	var offered []llm.ToolDef
	if settings.ToolsEnabled && supports(model.Info(), "tools") {
		if offered, err = s.offer(ctx, run, env); err != nil {
			return agent.Spec{}, err
		}
	}
	if err := s.unknownTools(settings.Tools); err != nil {
		return agent.Spec{}, err
	}
	return agent.Spec{
		Model: model, Tools: offered, Env: env,
		Settings: llm.Request{MaxTokens: settings.MaxTokens, Temperature: settings.Temperature,
			Thinking: llm.Thinking(settings.Thinking)},
		Budget:    s.budget(root),
		Draining:  s.draining.Load,
		Image:     func(ctx context.Context, id string) ([]byte, error) { return s.imageOf(ctx, id) },
		Summarise: s.summariser(model),
	}, nil
}

// resumedSteps are the steps of earlier attempts, with the decisions on their calls.
func (s *Service) resumedSteps(ctx context.Context, t *tree, run *models.Run) ([]*agent.Step, error) {
	steps, err := s.finishedSteps(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	return steps, s.handOver(ctx, t, run.ID, steps)
}

// env is what holds for every call of a run.
func (s *Service) env(ctx context.Context, run *models.Run, profile Profile) (executor.Env, error) {
	above, err := s.lineage(ctx, run)
	if err != nil {
		return executor.Env{}, err
	}
	settings := run.Settings
	return executor.Env{
		Call: tools.Call{
			RunID: run.ID, RootRunID: run.RootRunID, ConversationID: run.ConversationID, ProjectID: run.ProjectID,
			UserID: run.Actor(), AgentPath: run.AgentPath, Profile: run.Agent, Callers: above.agents(),
			Services: s.Services,
			Settings: tools.Settings{Model: settings.Model, MaxTokens: settings.MaxTokens,
				Temperature: settings.Temperature},
		},
		Presets: above.presets(profile),
		Refuse:  s.childToolPolicy(above, run, profile),
	}, nil
}

// permitted says why a run by itself may not use a tool, whatever the model calls it by.
func (s *Service) permitted(run *models.Run, profile Profile) func(name string) error {
	return func(name string) error {
		if off := s.ToolOff(s.contextOf(s.ctx, run), name); off != "" {
			return tools.Errorf(tools.CodeBlocked, "the tool %s cannot be used: %s", name, off)
		}
		switch {
		case !run.Settings.ToolsEnabled:
			return tools.Errorf(tools.CodeBlocked, "tools are switched off in this conversation: answer in text")
		case len(profile.Tools) > 0 && !matchesAny(profile.Tools, name):
			return tools.Errorf(tools.CodeBlocked, "the agent %s may not use the tool %s",
				firstOf(profile.ID, DefaultAgent), name)
		case run.ParentRunID == "", run.Settings.Session != "":
			return deniedToTasks(run, name) // what those above it may not, childToolPolicy says
		case isDeniedToSubAgents(name):
			return tools.Errorf(tools.CodeBlocked,
				"a sub-agent cannot use %s: do the work yourself with the other tools, and answer in text", name)
		case len(run.Settings.Tools) > 0 && !matchesAny(run.Settings.Tools, name):
			return tools.Errorf(tools.CodeBlocked, "this sub-agent was given only these tools: %s",
				strings.Join(run.Settings.Tools, ", "))
		}
		return nil
	}
}

// isDeniedToSubAgents knows a blocked tool also as an alias of an MCP server.
func isDeniedToSubAgents(name string) bool {
	for _, blocked := range deniedToSubAgents {
		if name == blocked || strings.HasSuffix(name, "__"+blocked) {
			return true
		}
	}
	return false
}

// offer is the tool list of a run: what it may use, what can work without a context
// value that the run does not have, and what is of use with the configuration in force.
// In plan mode only what changes nothing is offered.
func (s *Service) offer(ctx context.Context, run *models.Run, env executor.Env) ([]llm.ToolDef, error) {
	plans, err := s.plans(ctx, run)
	if err != nil {
		return nil, err
	}
	var offered []llm.ToolDef
	for _, tool := range s.Registry.List() {
		if env.Refuse(tool.Name) != nil || lacks(tool, env.Call) || plans && !guard.ReadOnly(tool) {
			continue
		}
		function, useful := tool.Offer(ctx, env.Call)
		if !useful {
			continue
		}
		offered = append(offered, llm.ToolDef{Name: function.Name, Description: function.Description,
			Parameters: function.Parameters})
	}
	return offered, nil
}

// plans says whether a run's conversation is in plan mode.
func (s *Service) plans(ctx context.Context, run *models.Run) (bool, error) {
	mode, err := PermissionMode(ctx, s.Store, run.UserID, run.ConversationID)
	return mode == guard.ModePlan, err
}

// PermissionMode is the mode in force in a conversation: in that of a background task,
// the stricter one of its own and of that of the conversation that it was submitted in.
func PermissionMode(ctx context.Context, db *store.Store, userID, conversationID string) (string, error) {
	mode := guard.ModeAuto
	for conversationID != "" {
		conversation, err := db.GetConversation(ctx, userID, conversationID)
		if err != nil {
			return "", err
		}
		mode, conversationID = guard.StricterMode(mode, conversation.PermissionMode), conversation.TaskOf
	}
	return mode, nil
}

func lacks(tool *tools.Tool, call tools.Call) bool {
	for _, injection := range tool.Injected {
		if injection.Required && call.ContextValue(injection.Value) == nil {
			return true
		}
	}
	return false
}

// unknownTools refuses a task that names a tool nobody has: a glob may match none.
func (s *Service) unknownTools(names []string) error {
	for _, name := range names {
		if strings.ContainsAny(name, "*?[") || isDeniedToSubAgents(name) {
			continue
		}
		if _, ok := s.Registry.Get(name); !ok {
			return &agent.Error{Code: tools.CodeUnknownTool,
				Message: fmt.Sprintf("there is no tool %q to give to this sub-agent", name)}
		}
	}
	return nil
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if matched, err := path.Match(pattern, name); err == nil && matched {
			return true
		}
	}
	return false
}

func supports(info llm.Info, what string) bool {
	for _, s := range info.Supports {
		if s == what {
			return true
		}
	}
	return false
}

// finishedSteps reads what earlier attempts of a run checkpointed.
func (s *Service) finishedSteps(ctx context.Context, runID string) ([]*agent.Step, error) {
	steps, calls, err := s.Store.Steps(ctx, runID)
	if err != nil {
		return nil, err
	}
	return s.loopSteps(steps, calls), nil
}

// loopSteps turns stored steps into the loop's.
func (s *Service) loopSteps(steps []*models.Step, calls []*models.ToolCall) []*agent.Step {
	byStep := map[string][]*agent.Call{}
	for _, call := range calls {
		again := &agent.Call{
			Invocation: tools.Invocation{ID: call.ID, Name: call.Name, Arguments: call.Arguments},
			ProviderID: call.ProviderID, Started: call.State == models.CallStarted, Effect: s.effectOf(call.Name),
		}
		if call.State == models.CallFinished {
			record := s.recordOf(call)
			again.Record = &record
		}
		byStep[call.StepID] = append(byStep[call.StepID], again)
	}
	made := make([]*agent.Step, len(steps))
	for i, step := range steps {
		made[i] = &agent.Step{
			ID: step.ID, Number: step.Number, ModelID: step.Model, Partial: step.Partial, Calls: byStep[step.ID],
			Response: llm.Response{Text: step.Text, Reasoning: step.Reasoning, Opaque: []byte(step.Opaque),
				FinishReason: step.FinishReason},
		}
	}
	return made
}

// effectOf is the effect of a tool by name; one that is gone counts as the worst.
func (s *Service) effectOf(name string) tools.EffectKind {
	if tool, ok := s.Registry.Get(name); ok {
		return tool.Effect
	}
	return tools.Writes
}

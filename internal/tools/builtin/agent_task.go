package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed agent_task_submit.md
var submitAgentTaskDoc string

//go:embed agent_task_check.md
var checkAgentTaskDoc string

//go:embed agent_task_cancel.md
var cancelAgentTaskDoc string

func init() {
	offered := tools.Tailor(func(_ context.Context, call tools.Call, _ *tools.Shape) bool {
		tasks, err := services.Get(call.Services, tools.TasksKey)
		return err == nil && tasks.MaxActive() > 0
	})
	tools.Register(tools.Define("submit_agent_task", submitAgentTaskDoc, submitAgentTask,
		tools.Category("agent"), tools.Effect(tools.Resumes), offered,
		tools.Preflight(func(_ context.Context, call tools.Call, args submitAgentTaskArgs) error {
			if args.Agent == "" {
				return nil
			}
			agents, err := services.Get(call.Services, tools.AgentsKey)
			if err != nil {
				return err
			}
			return agents.Check(args.Agent, args.Instruction)
		})))
	tools.Register(tools.Define("check_agent_task", checkAgentTaskDoc, checkAgentTask,
		tools.Category("agent"), tools.Effect(tools.Volatile), offered))
	tools.Register(tools.Define("cancel_agent_task", cancelAgentTaskDoc, cancelAgentTask,
		tools.Category("agent"), tools.Effect(tools.Writes), offered))
}

type submitAgentTaskArgs struct {
	Agent       string `json:"agent,omitempty" jsonschema:"id from list_agents; default: you"`
	Instruction string `json:"instruction" jsonschema:"all that it must know" minLength:"1"`
}

func submitAgentTask(ctx context.Context, call tools.Call, args submitAgentTaskArgs) (tools.TaskState, error) {
	tasks, err := services.Get(call.Services, tools.TasksKey)
	if err != nil {
		return tools.TaskState{}, err
	}
	return tasks.Submit(ctx, call, args.Agent, args.Instruction)
}

type agentTaskArgs struct {
	TaskID string `json:"task_id" jsonschema:"from submit_agent_task" minLength:"1"`
}

func checkAgentTask(ctx context.Context, call tools.Call, args agentTaskArgs) (tools.TaskState, error) {
	tasks, err := services.Get(call.Services, tools.TasksKey)
	if err != nil {
		return tools.TaskState{}, err
	}
	return tasks.Check(ctx, call, args.TaskID)
}

func cancelAgentTask(ctx context.Context, call tools.Call, args agentTaskArgs) (tools.TaskState, error) {
	tasks, err := services.Get(call.Services, tools.TasksKey)
	if err != nil {
		return tools.TaskState{}, err
	}
	return tasks.Cancel(ctx, call, args.TaskID)
}

package builtin

import (
	"context"
	_ "embed"
	"strings"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed multi_agent.md
var multiAgentDoc string

func init() {
	tools.Register(tools.Define("multi_agent", multiAgentDoc, multiAgent,
		tools.Category("agent"), tools.Effect(tools.Resumes), tools.Timeout(-1),
		tools.Tailor(func(_ context.Context, call tools.Call, shape *tools.Shape) bool {
			agents, err := services.Get(call.Services, tools.SubAgentsKey)
			if err == nil {
				shape.MaxItems("tasks", agents.MaxTasks())
			}
			return err == nil
		})))
}

type multiAgentArgs struct {
	Tasks []multiAgentTask `json:"tasks" jsonschema:"the tasks" minItems:"1"`

	Model       string   `json:"_model,omitempty" inject:"model"`
	ProjectID   string   `json:"_project_id,omitempty" inject:"project_id"`
	MaxTokens   int      `json:"_max_tokens,omitempty" inject:"max_tokens"`
	Temperature *float64 `json:"_temperature,omitempty" inject:"temperature"`
}

type multiAgentTask struct {
	Name        string   `json:"name" jsonschema:"short name, shown to people"`
	Instruction string   `json:"instruction" jsonschema:"what to do, with all that the sub-agent must know"`
	Tools       []string `json:"tools,omitempty" jsonschema:"the only tools that it may use; default: all"`
}

type multiAgentResult struct {
	Success bool              `json:"success"` // at least one task was done
	Results []multiAgentEntry `json:"results"`
	Total   int               `json:"total"`
}

type multiAgentEntry struct {
	TaskName   string  `json:"task_name"`
	Success    bool    `json:"success"`
	Response   *string `json:"response,omitempty"` // of a success always, perhaps ""
	Error      string  `json:"error,omitempty"`
	Code       string  `json:"code,omitempty"`
	Incomplete bool    `json:"incomplete,omitempty"`
	RunID      string  `json:"run_id,omitempty"`
}

func multiAgent(ctx context.Context, call tools.Call, args multiAgentArgs) (multiAgentResult, error) {
	agents, err := services.Get(call.Services, tools.SubAgentsKey)
	if err != nil {
		return multiAgentResult{}, err
	}
	tasks := make([]tools.SubTask, len(args.Tasks))
	for i, task := range args.Tasks {
		tasks[i] = tools.SubTask{Name: strings.TrimSpace(task.Name), Instruction: task.Instruction, Tools: task.Tools}
	}
	done, err := agents.FanOut(ctx, call, tasks)
	if err != nil {
		return multiAgentResult{}, err
	}
	result := multiAgentResult{Results: make([]multiAgentEntry, len(done)), Total: len(done)}
	for i, task := range done {
		result.Results[i] = multiAgentEntry{
			TaskName: task.TaskName, Success: task.Success,
			Error: task.Error, Code: task.Code, Incomplete: task.Incomplete, RunID: task.RunID,
		}
		if task.Success || task.Response != "" {
			result.Results[i].Response = &task.Response
		}
		result.Success = result.Success || task.Success
	}
	if !result.Success {
		return result, &tools.Error{Code: "sub_agents_failed", Message: "every sub-agent failed: the results say why",
			Data: result}
	}
	return result, nil
}

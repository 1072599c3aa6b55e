package runs

import (
	"context"
	"fmt"
	"strings"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// submitTool is denied to background tasks and to sub-agents, under any name.
const submitTool = "submit_agent_task"

const codeTooManyTasks = "too_many_tasks"

// Tasks is the service of background tasks. A task is the root run of a conversation of
// its own, which is in no list; whatever the run that submitted it may, the task may at most.
func (s *Service) Tasks(maxActive func() int) tools.Tasks {
	return &backgroundTasks{s, maxActive}
}

type backgroundTasks struct {
	service   *Service
	maxActive func() int
}

// MaxActive implements tools.Tasks.
func (b *backgroundTasks) MaxActive() int { return b.maxActive() }

// Submit implements tools.Tasks.
func (b *backgroundTasks) Submit(ctx context.Context, call tools.Call, agentID,
	instruction string) (tools.TaskState, error) {
	s := b.service
	if strings.TrimSpace(instruction) == "" {
		return tools.TaskState{}, tools.Errorf(tools.CodeInvalidArguments,
			"instruction is empty: say what the agent is to do, with all that it must know")
	}
	t := s.tree(call.RootRunID)
	if t == nil {
		return tools.TaskState{}, agent.ErrLost
	}
	first, err := b.newTask(ctx, call, agentID, instruction)
	if err != nil {
		return tools.TaskState{}, err
	}
	run := first.Run
	err = t.commit(ctx, "task", func(tx *store.Tx) error {
		made, err := tx.TaskByKey(*first.Run.ChildKey)
		if err != nil || made != nil {
			run = made
			return err
		}
		active, err := tx.ActiveTasks(run.UserID, run.Settings.Task.ConversationID)
		if err != nil {
			return err
		}
		if limit := b.maxActive(); active >= int64(limit) {
			return tools.Errorf(codeTooManyTasks, "%d background tasks of this conversation are at work, and "+
				"background_tasks.max_active is %d: wait for the end of one, or cancel one with cancel_agent_task",
				active, limit)
		}
		if err := tx.CreateConversation(first.conv); err != nil {
			return err
		}
		if err := tx.StartRun(first.StartRun); err != nil {
			return err
		}
		tx.Send(taskRow(run))
		tx.Send(startRows(run, first.Message)...)
		return nil
	})
	if err != nil {
		return tools.TaskState{}, lost(err)
	}
	return taskState(run), nil
}

// firstTurn is a task that is not stored yet.
type firstTurn struct {
	store.StartRun
	conv *models.Conversation
}

// newTask makes the conversation and the run of a task, with the settings of the run that
// submits it.
func (b *backgroundTasks) newTask(ctx context.Context, call tools.Call, agentID,
	instruction string) (firstTurn, error) {
	s := b.service
	parent, err := s.Store.Run(ctx, "", call.RunID)
	if err != nil {
		return firstTurn{}, err
	}
	from, err := s.Store.GetConversation(ctx, parent.UserID, parent.ConversationID)
	if err != nil {
		return firstTurn{}, err
	}
	agentID = firstOf(agentID, parent.Agent)
	if agentID == DefaultAgent {
		agentID = ""
	}
	if _, ok := s.Profile(agentID); !ok {
		return firstTurn{}, tools.Errorf(codeUnknownAgent, "there is no agent %q: list_agents knows them all", agentID)
	}
	conv := &models.Conversation{
		ID: store.NewID(), UserID: parent.UserID, ProjectID: parent.ProjectID, Title: titleOf(instruction), Agent: agentID,
		SystemPrompt: from.SystemPrompt, Temperature: parent.Settings.Temperature, MaxTokens: parent.Settings.MaxTokens,
		Thinking: parent.Settings.Thinking, ToolsEnabled: parent.Settings.ToolsEnabled, Skills: from.Skills,
		Hidden: true, TaskOf: parent.ConversationID,
	}
	if agentID == parent.Agent {
		conv.Model = firstOf(call.Settings.Model, parent.Settings.Model)
	}
	run, most, err := s.newRun(ctx, conv, StartRequest{UserID: parent.Actor()})
	if err != nil {
		return firstTurn{}, err
	}
	key := call.ID + "/0"
	run.ChildKey, run.TaskName = &key, firstOf(conv.Title, "task")
	run.Input = models.RunInput{Text: instruction}
	run.Settings.Task = &models.TaskOrigin{RunID: parent.ID, ConversationID: parent.ConversationID}
	message := &models.Message{ID: store.NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser,
		Text: instruction, CreatedAt: now()}
	run.UserMessageID = message.ID
	return firstTurn{store.StartRun{Run: run, Message: message, MaxAtWork: most}, conv}, nil
}

// Check implements tools.Tasks.
func (b *backgroundTasks) Check(ctx context.Context, call tools.Call, id string) (tools.TaskState, error) {
	s := b.service
	run, err := b.find(ctx, call, id)
	if err != nil {
		return tools.TaskState{}, err
	}
	steps, calls, err := s.Store.Steps(ctx, run.ID)
	if err != nil {
		return tools.TaskState{}, err
	}
	state := taskState(run)
	_, _, state.Response = s.showSteps(steps, calls, nil, true)
	state.Calls = len(calls)
	if models.RunEnded(run.Status) && len(steps) == 0 { // retention has removed them
		answer, err := s.Store.GetMessage(ctx, run.UserID, run.AssistantMessageID)
		if err != nil {
			return tools.TaskState{}, err
		}
		state.Response = answer.Text
	}
	return state, nil
}

// Cancel implements tools.Tasks.
func (b *backgroundTasks) Cancel(ctx context.Context, call tools.Call, id string) (tools.TaskState, error) {
	if _, err := b.find(ctx, call, id); err != nil {
		return tools.TaskState{}, err
	}
	if _, err := b.service.Cancel(ctx, call.UserID, id); err != nil {
		return tools.TaskState{}, err
	}
	return b.Check(ctx, call, id)
}

// find is a task of the call's conversation.
func (b *backgroundTasks) find(ctx context.Context, call tools.Call, id string) (*models.Run, error) {
	run, err := b.service.Store.Task(ctx, call.ConversationID, id)
	if store.IsCode(err, store.CodeNotFound) {
		return nil, tools.Errorf(store.CodeNotFound,
			"there is no background task %q in this conversation: submit_agent_task says the id of each", id)
	}
	return run, err
}

func taskState(run *models.Run) tools.TaskState {
	return tools.TaskState{ID: run.ID, Name: run.TaskName, Agent: firstOf(run.Agent, DefaultAgent), Status: run.Status,
		Incomplete: run.Incomplete, Error: run.ErrorMessage}
}

// deniedToTasks says why the run of a background task may not use a tool.
func deniedToTasks(run *models.Run, name string) error {
	if run.Settings.Task == nil || name != submitTool && !strings.HasSuffix(name, "__"+submitTool) {
		return nil
	}
	return tools.Errorf(tools.CodeBlocked,
		"a background task cannot submit further ones: do the work yourself, and answer in text")
}

const taskPromptText = `You work in the background on a task that another agent submitted: nobody reads along or answers questions. Do the task, then answer in text with the complete result, which is announced in the conversation that it came from.`

// taskPrompt is what the system message of a background task says beside the rest.
func taskPrompt(run *models.Run) string {
	if run.Settings.Task == nil {
		return ""
	}
	return taskPromptText
}

// originOf is the id of the run above a run: the one whose call made it, or that
// submitted it as a background task. Empty: a person's.
func originOf(run *models.Run) string {
	if run.ParentRunID == "" && run.Settings.Task != nil {
		return run.Settings.Task.RunID
	}
	return run.ParentRunID
}

// errNoOrigin is the end of a task whose permissions can no longer be known.
func errNoOrigin(run *models.Run) error {
	return &agent.Error{Code: tools.CodeBlocked,
		Message: fmt.Sprintf("the run that submitted this task was deleted, and with it what the task %q may do",
			run.TaskName)}
}

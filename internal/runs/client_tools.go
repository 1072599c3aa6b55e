package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

const (
	maxClientTools = 128
	maxToolSchema  = 64 << 10 // bytes of the schema of a client's tool
)

// CheckClientTools says what is wrong with the tools that a client brings along.
func CheckClientTools(list []models.ClientTool) error {
	invalid := func(format string, args ...any) error {
		return &InvalidError{Field: "tools", Message: fmt.Sprintf(format, args...), Code: "invalid_arguments"}
	}
	if len(list) > maxClientTools {
		return invalid("there are %d tools, at most %d are taken", len(list), maxClientTools)
	}
	names := map[string]bool{}
	for _, one := range list {
		if names[one.Name] {
			return invalid("there are two tools named %q", one.Name)
		}
		names[one.Name] = true
		if len(one.Parameters) > maxToolSchema {
			return invalid("the schema of the tool %q is longer than %d bytes", one.Name, maxToolSchema)
		}
		tool, err := clientTool(one, nil)
		if err == nil {
			err = tools.NewRegistry().SetGroup("client", []*tools.Tool{tool})
		}
		if err != nil {
			return invalid("the tool %q cannot be used: %v", one.Name, err)
		}
	}
	return nil
}

// clientTool is a tool of a client as the executor has it; run answers its calls.
func clientTool(one models.ClientTool, run func(context.Context, tools.Call) (any, error)) (*tools.Tool, error) {
	tool := &tools.Tool{
		Name: one.Name, Description: firstOf(one.Description, one.Name), Category: "client", Effect: tools.Awaits,
		Timeout: -1,
		Run: func(ctx context.Context, call tools.Call, _ json.RawMessage) (any, error) {
			return run(ctx, call)
		},
	}
	schema := one.Parameters
	if len(schema) == 0 || string(schema) == "null" {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	if err := json.Unmarshal(schema, &tool.Schema); err != nil {
		return nil, fmt.Errorf("its parameters are no JSON Schema: %w", err)
	}
	if tool.Schema.Type != "object" {
		tool.Schema.Type, tool.Schema.Types = "object", nil
	}
	return tool, nil
}

// addClientTools offers the tools that the client brought along.
func (s *Service) addClientTools(spec *agent.Spec, t *tree) error {
	if len(t.root.Settings.ClientTools) == 0 || !t.root.Settings.ToolsEnabled || !supports(spec.Model.Info(), "tools") {
		return nil
	}
	members := make([]*tools.Tool, 0, len(t.root.Settings.ClientTools))
	for _, one := range t.root.Settings.ClientTools {
		tool, err := clientTool(one, t.askClient)
		if err != nil {
			return err
		}
		members = append(members, tool)
	}
	own := tools.NewRegistry()
	if err := own.SetGroup("client", members); err != nil {
		return err
	}
	spec.Env.Own = map[string]*tools.Tool{}
	spec.Tools = slices.DeleteFunc(spec.Tools, func(offered llm.ToolDef) bool {
		_, replaced := own.Get(offered.Name)
		return replaced
	})
	for _, tool := range own.List() {
		spec.Env.Own[tool.Name] = tool
		function := tool.ToDefinition().Function
		spec.Tools = append(spec.Tools, llm.ToolDef{Name: function.Name, Description: function.Description,
			Parameters: function.Parameters})
	}
	return nil
}

// askClient answers a call with the client's result, or suspends it until that is there.
func (t *tree) askClient(ctx context.Context, call tools.Call) (any, error) {
	asked := &models.ClientCall{CallID: call.ID, RootRunID: call.RootRunID, UserID: call.UserID, Name: call.Tool,
		AskedAt: now()}
	if limit := t.service.Settings().ClientToolTimeout; limit > 0 {
		asked.ExpiresAt = models.TimeOf(time.Now().Add(limit))
	}
	event := eventRow(EventCallWaiting, t.root, callWaitingPayload{ID: call.ID, Name: call.Tool})
	var found *models.ClientCall
	err := t.commit(ctx, "client_call", func(tx *store.Tx) (err error) {
		made := false
		if found, made, err = tx.AskClient(asked); made {
			tx.Send(event)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, lost(err)
	case found.AnsweredAt == 0:
		return nil, tools.ErrSuspended
	}
	return json.RawMessage(found.Result), nil
}

// ClientResult is what a client's tool answered.
type ClientResult struct {
	CallID string
	Output string // JSON, or any text
}

// UnexpectedResultError says that a result belongs to no call that waits.
type UnexpectedResultError struct{ CallID string }

func (e *UnexpectedResultError) Error() string {
	return fmt.Sprintf("no tool call waits for the result %q: it was answered before, its run has ended, or it is of "+
		"another conversation", e.CallID)
}

// ErrorCode is the code that clients see.
func (e *UnexpectedResultError) ErrorCode() string { return "unexpected_tool_result" }

// MissingResultError says that calls of the same turn wait for results, too.
type MissingResultError struct{ CallIDs []string }

func (e *MissingResultError) Error() string {
	return fmt.Sprintf("the calls %v of this turn wait for their results, too: send all of them in one request",
		e.CallIDs)
}

// ErrorCode is the code that clients see.
func (e *MissingResultError) ErrorCode() string { return "missing_tool_result" }

// AnswerClientCalls stores the results of all calls of one run that wait for the client,
// and lets the run go on. It returns the run, and the cursor of the events behind which
// what follows is. Errors: *UnexpectedResultError, *MissingResultError; nothing is stored then.
func (s *Service) AnswerClientCalls(ctx context.Context, userID string,
	results []ClientResult) (run *RunView, cursor string, err error) {
	if len(results) == 0 {
		return nil, "", &UnexpectedResultError{}
	}
	first, err := s.Store.ClientCall(ctx, userID, results[0].CallID)
	if store.IsCode(err, store.CodeNotFound) {
		return nil, "", &UnexpectedResultError{results[0].CallID}
	} else if err != nil {
		return nil, "", err
	}
	waiting, err := s.Store.WaitingClientCalls(ctx, userID, first.RootRunID)
	if err != nil {
		return nil, "", err
	}
	if err := matchResults(results, waiting); err != nil {
		return nil, "", err
	}
	cursor = s.EventsCursor()
	err = s.commit(ctx, func(tx *store.Tx) error {
		for _, result := range results {
			answered, err := tx.AnswerClientCall(userID, result.CallID, jsonOf(s.Redactor.String(result.Output)))
			if err == nil && !answered {
				err = &UnexpectedResultError{result.CallID}
			}
			if err != nil {
				return err
			}
		}
		root, queued, err := tx.Wake(first.RootRunID)
		if err != nil {
			return err
		}
		if models.RunEnded(root.Status) {
			return &UnexpectedResultError{first.CallID}
		}
		if queued {
			tx.Send(workRow(root))
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	run, err = s.Run(ctx, userID, first.RootRunID)
	return run, cursor, err
}

// matchResults says which results wait for no call, or which calls have no result.
func matchResults(results []ClientResult, waiting []*models.ToolCall) error {
	open := map[string]bool{}
	for _, call := range waiting {
		open[call.ID] = true
	}
	for _, result := range results {
		if !open[result.CallID] {
			return &UnexpectedResultError{result.CallID}
		}
		delete(open, result.CallID)
	}
	if len(open) == 0 {
		return nil
	}
	missing := &MissingResultError{}
	for _, call := range waiting {
		if open[call.ID] {
			missing.CallIDs = append(missing.CallIDs, call.ID)
		}
	}
	return missing
}

// WaitingClientCalls are the calls of a root run that wait for the client, with the
// arguments as the model made them.
func (s *Service) WaitingClientCalls(ctx context.Context, userID, rootRunID string) ([]tools.Invocation, error) {
	waiting, err := s.Store.WaitingClientCalls(ctx, userID, rootRunID)
	if err != nil {
		return nil, err
	}
	calls := make([]tools.Invocation, len(waiting))
	for i, call := range waiting {
		calls[i] = tools.Invocation{ID: call.ID, Name: call.Name, Arguments: call.Arguments}
	}
	return calls, nil
}

// expireClientCalls cancels the runs whose clients did not send a result in time.
func (s *Service) expireClientCalls(ctx context.Context) error {
	overdue, err := s.Store.OverdueClientCalls(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, call := range overdue {
		s.Logger.Info("a client sent no result of a tool call in time: its run is cancelled", "run", call.RootRunID,
			"tool", call.Name)
		run, err := s.Store.Run(ctx, "", call.RootRunID)
		if err == nil { // for its owner: a member may have asked
			_, err = s.Cancel(ctx, run.UserID, run.ID)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// jsonOf is a result as JSON: as it is, or as a string.
func jsonOf(output string) string {
	if json.Valid([]byte(output)) {
		return output
	}
	return string(encode(output))
}

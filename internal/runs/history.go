package runs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// history is the branch of the conversation that ends in the run's user message,
// as the model is to see it. The user's texts are word for word; notes are what
// has to be said about attachments in the system message.
func (s *Service) history(ctx context.Context, run *models.Run,
	info llm.Info) (messages []llm.Message, notes []string, err error) {
	branch, err := s.Store.Branch(ctx, run.ConversationID, run.UserMessageID)
	if err != nil {
		return nil, nil, err
	}
	steps, err := s.stepsOfBranch(ctx, branch)
	if err != nil {
		return nil, nil, err
	}
	for _, message := range branch {
		if message.Role == models.RoleAssistant {
			messages = appendAnswer(messages, replay(&message, steps[message.RunID], info.ID))
			continue
		}
		user := llm.Message{Role: llm.RoleUser, Text: message.Text}
		more, err := s.attach(ctx, run, &user, message.Attachments, info)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
		messages = append(messages, user)
	}
	return messages, notes, nil
}

func (s *Service) stepsOfBranch(ctx context.Context, branch []models.Message) (map[string][]*agent.Step, error) {
	var ids []string
	for _, message := range branch {
		if message.Role == models.RoleAssistant && message.RunID != "" {
			ids = append(ids, message.RunID)
		}
	}
	rows, calls, err := s.Store.StepsOfRuns(ctx, ids)
	if err != nil {
		return nil, err
	}
	runOf := map[string]string{}
	for _, row := range rows {
		runOf[row.ID] = row.RunID
	}
	byRun := map[string][]*agent.Step{}
	for _, step := range s.loopSteps(rows, calls) {
		byRun[runOf[step.ID]] = append(byRun[runOf[step.ID]], step)
	}
	return byRun, nil
}

// appendAnswer adds an answer. One that follows another directly, as the announcement of a
// task's end does, goes on in the same message: many models want the roles to alternate.
func appendAnswer(messages, answer []llm.Message) []llm.Message {
	if n := len(messages); n > 0 && len(answer) > 0 {
		last, first := &messages[n-1], answer[0]
		if last.Role == llm.RoleAssistant && len(last.ToolCalls) == 0 && first.Role == llm.RoleAssistant &&
			len(first.ToolCalls) == 0 {
			last.Text = strings.TrimSpace(last.Text + "\n\n" + first.Text)
			answer = answer[1:]
		}
	}
	return append(messages, answer...)
}

// replay is an earlier answer with its tool calls and results; where retention
// has removed its steps, its text alone.
func replay(message *models.Message, steps []*agent.Step, modelID string) []llm.Message {
	var messages []llm.Message
	var before map[string][]string
	var end []string
	if bytes.Contains(message.Steps, []byte(`"type":"`+entryUser+`"`)) {
		if view, err := ViewMessage(message); err == nil {
			before, end = replaySteering(view.Steps)
		}
	}
	for _, step := range steps {
		messages = sayAll(messages, before[step.ID])
		messages = append(messages, agent.StepMessages(step, modelID, nil)...)
	}
	if len(messages) > 0 {
		return sayAll(messages, end)
	}
	if messages = replayRecords(message); len(messages) == 0 && message.Text != "" {
		return []llm.Message{{Role: llm.RoleAssistant, Text: message.Text}}
	}
	return messages
}

// replayRecords is an answer without steps of ours, as it shows itself: its texts and
// calls with their results, in order.
func replayRecords(message *models.Message) []llm.Message {
	view, err := ViewMessage(message)
	said := func(entry models.StepEntry) bool { return entry.Type == entryUser }
	if err != nil || len(view.ToolCalls) == 0 && !slices.ContainsFunc(view.Steps, said) {
		return nil
	}
	records := map[string]tools.Record{}
	for _, record := range view.ToolCalls {
		records[record.ID] = record
	}
	var messages []llm.Message
	says := func() *llm.Message { // what the model says now
		if n := len(messages); n > 0 && messages[n-1].Role == llm.RoleAssistant {
			return &messages[n-1]
		}
		messages = append(messages, llm.Message{Role: llm.RoleAssistant})
		return &messages[len(messages)-1]
	}
	for _, entry := range view.Steps {
		record := records[entry.IDRef]
		if entry.IDRef != "" && entry.Type != entryUser && record.Result == "" {
			continue // a call without a result is refused by some providers
		}
		switch entry.Type {
		case entryUser:
			messages = agent.Said(messages, entry.Text)
		case "text":
			says().Text += entry.Text
		case "tool_call":
			at := says()
			at.ToolCalls = append(at.ToolCalls, llm.ToolCall{ID: record.ID, Name: record.Function.Name,
				Arguments: record.Function.Arguments})
		case "tool_result":
			messages = append(messages, llm.Message{Role: llm.RoleTool, Text: record.Result, ToolCallID: record.ID,
				ToolName: record.Function.Name})
		}
	}
	return messages
}

// imageOf reads an image of a tool's result.
func (s *Service) imageOf(ctx context.Context, uploadID string) ([]byte, error) {
	upload, err := s.Store.GetUpload(ctx, "", uploadID)
	if err != nil {
		return nil, err
	}
	return upload.Data, nil
}

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + fmt.Sprintf("\n[… %d bytes more]", len(text)-cut)
}

// summariser asks the run's own model for a summary of old turns.
func (s *Service) summariser(model llm.Model) func(context.Context, []llm.Message) (string, error) {
	return s.summaries.Wrap(model.Info().ID, func(ctx context.Context, old []llm.Message) (string, error) {
		var text strings.Builder
		for _, message := range old {
			fmt.Fprintf(&text, "%s: %s\n", message.Role, shorten(message.Text, 4000))
			for _, call := range message.ToolCalls {
				fmt.Fprintf(&text, "(called %s %s)\n", call.Name, shorten(call.Arguments, 500))
			}
		}
		request := llm.Request{Thinking: llm.ThinkingOff, Messages: []llm.Message{
			{Role: llm.RoleSystem,
				Text: "Summarise this part of a conversation for yourself, so that you can go on without it: " +
					"decisions, facts, file names, open tasks. At most 300 words, in the conversation's language."},
			{Role: llm.RoleUser, Text: text.String()},
		}}
		for event, err := range model.Stream(ctx, request) {
			if err != nil {
				return "", fmt.Errorf("summarise old turns: %w", err)
			}
			if event.Kind == llm.EventDone {
				return event.Response.Text, nil
			}
		}
		return "", fmt.Errorf("summarise old turns: the model gave no answer")
	})
}

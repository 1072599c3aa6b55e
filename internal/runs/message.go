package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// assistantMessage is the one answer of a root run: what its steps said and did. used
// counts the sub-agents too.
func (s *Service) assistantMessage(run *models.Run, used Usage, steps []*models.Step, calls []*models.ToolCall,
	said []models.Steering) *models.Message {
	entries, records, text := s.showSteps(steps, calls, said, models.RunEnded(run.Status))
	for _, step := range steps {
		if step.TotalTokens > 0 {
			used.ContextTokens = step.TotalTokens
		}
	}
	created := run.FinishedAt
	if created == 0 {
		created = now()
	}
	return &models.Message{
		ID: run.AssistantMessageID, ConversationID: run.ConversationID, ParentID: run.UserMessageID, RunID: run.ID,
		Role: models.RoleAssistant, Text: text, Attachments: attachedFiles(records), Steps: encode(entries),
		ToolCalls: encode(records),
		Usage:     encode(used), Model: run.Settings.Model, CreatedAt: created,
	}
}

// entryUser is the type of an entry that is a person's message into the run.
const entryUser = "user"

// showSteps lays steps out in the order in which they are shown: what the person said before,
// thinking, text, the calls, their results. A call that has not finished has no result; of a run
// that goes on it has a record with an empty one.
func (s *Service) showSteps(steps []*models.Step, calls []*models.ToolCall, said []models.Steering,
	ended bool) ([]models.StepEntry, []tools.Record, string) {
	entries, records, texts := []models.StepEntry{}, []tools.Record{}, []string{}
	add := func(entry models.StepEntry) {
		entry.Index = len(entries)
		entries = append(entries, entry)
	}
	byStep := map[string][]*models.ToolCall{}
	for _, call := range calls {
		byStep[call.StepID] = append(byStep[call.StepID], call)
	}
	say := func(m models.Steering) {
		add(models.StepEntry{Type: entryUser, Text: m.Text, IDRef: m.ID, Pending: m.Before < 0 && !ended})
	}
	for _, step := range steps {
		for ; len(said) > 0 && said[0].Before >= 0 && said[0].Before <= step.Number; said = said[1:] {
			say(said[0])
		}
		if step.Reasoning != "" {
			add(models.StepEntry{Type: "thinking", Text: step.Reasoning, StepID: step.ID, DurationMS: step.ThinkingMS})
		}
		if step.Text != "" {
			add(models.StepEntry{Type: "text", Text: step.Text, StepID: step.ID})
			texts = append(texts, step.Text)
		}
		for _, call := range byStep[step.ID] {
			add(models.StepEntry{Type: "tool_call", IDRef: call.ID, StepID: step.ID})
		}
		for _, call := range byStep[step.ID] {
			if call.State != models.CallFinished {
				if !ended {
					records = append(records, s.recordOf(call))
				}
				continue
			}
			add(models.StepEntry{Type: "tool_result", IDRef: call.ID, StepID: step.ID})
			records = append(records, s.recordOf(call))
		}
	}
	for _, m := range said {
		say(m)
	}
	return entries, records, strings.Join(texts, "\n\n")
}

// recordOf is the record of a stored call.
func (s *Service) recordOf(call *models.ToolCall) tools.Record {
	record := tools.Record{
		ID: call.ID, Type: "function", Function: tools.FunctionCall{Name: call.Name,
			Arguments: s.covered(call.Arguments)},
		Result: call.Result, Success: call.Success, Skipped: call.Skipped, Cached: call.Cached,
		DuplicateOf: call.DuplicateOf, ExecutionTime: call.ExecutionTime, AgentPath: call.AgentPath,
	}
	for _, column := range []struct {
		raw  models.RawJSON
		into any
	}{{call.Images, &record.Images}, {call.Files, &record.Files}} {
		if len(column.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(column.raw, column.into); err != nil {
			s.Logger.Error("the images or files of a tool call cannot be read", "call", call.ID, "error", err)
		}
	}
	return record
}

// attachedFiles are the images of an answer's calls, and what they handed to the person. As
// its attachments they are kept and exported with it.
func attachedFiles(records []tools.Record) []models.Attachment {
	var attached []models.Attachment
	for _, record := range records {
		for _, image := range record.Images {
			attached = append(attached, models.Attachment(image))
		}
		for _, file := range record.Files {
			attached = append(attached, models.Attachment(file))
		}
	}
	return attached
}

// encode writes our own structs as JSON, without the escapes that only HTML needs:
// they multiply the size of code.
func encode(v any) models.RawJSON {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // a mistake in the program
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

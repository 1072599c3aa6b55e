package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// Message is one message that a client sends along.
type Message struct {
	Role   string // system, user, assistant or tool
	Text   string
	Files  []File
	Calls  []tools.Invocation // of an assistant
	CallID string             // of a tool's result
}

// File is what a message has attached.
type File struct {
	Name, ContentType string
	Data              []byte
}

// Roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	Tool      = "tool"
)

// Request is a turn that a client asks for with the messages before it.
type Request struct {
	UserID   string
	Agent    string
	Messages []Message // the last ones are the user's
	Start    runs.StartRequest
	Hidden   bool   // the conversation, where a new one is made
	NewID    string // of a new conversation; empty: any
}

// Split takes the messages of the client apart: the system's, those before the last
// answer with it, and what is new behind that.
func Split(messages []Message) (system string, history, fresh []Message) {
	var rest []Message
	var systems []string
	for _, message := range messages {
		if message.Role == System {
			systems = append(systems, message.Text)
			continue
		}
		rest = append(rest, message)
	}
	at := len(rest)
	for at > 0 && (rest[at-1].Role == User || rest[at-1].Role == Tool) {
		at--
	}
	return strings.Join(systems, "\n\n"), rest[:at], rest[at:]
}

// Results are the tool results at the end of the messages; false: they end with
// something else.
func Results(fresh []Message) ([]runs.ClientResult, bool) {
	if len(fresh) == 0 || fresh[len(fresh)-1].Role != Tool {
		return nil, false
	}
	var results []runs.ClientResult
	for _, message := range fresh {
		if message.Role == Tool {
			results = append(results, runs.ClientResult{CallID: message.CallID, Output: message.Text})
		}
	}
	return results, true
}

// Open starts a turn in a new conversation that has the messages before it.
func Open(ctx context.Context, s *store.Store, service *runs.Service, req Request) (*runs.RunView, error) {
	system, history, fresh := Split(req.Messages)
	if n := len(fresh); n > 0 && fresh[0].Role == Tool { // results of calls of another server belong to the history
		for len(fresh) > 0 && fresh[0].Role == Tool {
			history, fresh = append(history, fresh[0]), fresh[1:]
		}
	}
	agent := req.Agent
	if agent == runs.DefaultAgent {
		agent = ""
	}
	export := store.Export{NewID: req.NewID, Conversation: models.Conversation{Agent: agent, SystemPrompt: system,
		ToolsEnabled: true, Hidden: req.Hidden, ProjectID: req.Start.ProjectID}}
	if len(fresh) > 1 { // the last one starts the run
		history, fresh = append(history, fresh[:len(fresh)-1]...), fresh[len(fresh)-1:]
	}
	for _, message := range history {
		addMessage(&export, message)
	}
	conv, err := s.ImportConversation(ctx, req.UserID, export)
	if err != nil && req.NewID != "" { // another request may have made it meanwhile
		if found, missing := s.GetConversation(ctx, req.UserID, req.NewID); missing == nil {
			conv, err = found, nil
		}
	}
	if err != nil {
		return nil, err
	}
	run, err := Begin(ctx, s, service, req, conv.ID, fresh)
	if err != nil { // nobody asked for a conversation without a turn
		_ = s.DeleteConversation(ctx, req.UserID, conv.ID, conv.Version) // of another version: it has one
	}
	return run, err
}

// Begin starts a turn in a conversation that exists, with the new messages of the user.
func Begin(ctx context.Context, s *store.Store, service *runs.Service, req Request, conversationID string,
	fresh []Message) (*runs.RunView, error) {
	start := req.Start
	start.UserID, start.ConversationID = req.UserID, conversationID
	var texts []string
	for _, message := range fresh {
		if message.Role != User {
			continue
		}
		if message.Text != "" {
			texts = append(texts, message.Text)
		}
		for _, file := range message.Files {
			upload := &models.Upload{
				UserID:      req.UserID,
				Name:        file.Name,
				ContentType: file.ContentType,
				Data:        file.Data,
			}
			if err := s.CreateUpload(ctx, upload); err != nil {
				return nil, err
			}
			start.Attachments = append(start.Attachments, models.Attachment{UploadID: upload.ID, Name: upload.Name,
				ContentType: upload.ContentType, Size: upload.Size})
		}
	}
	start.Text = strings.Join(texts, "\n\n")
	return service.StartTurn(ctx, start)
}

// addMessage adds a message to an export; the result of a tool goes to its call.
func addMessage(export *store.Export, message Message) {
	n := len(export.Messages)
	if message.Role == Tool {
		for i := n - 1; i >= 0; i-- {
			if addResult(&export.Messages[i], message) {
				return
			}
		}
		message = Message{Role: User, Text: "Result of a tool: " + message.Text} // whose call was not sent along
	}
	made := models.Message{ID: fmt.Sprintf("m%06d", n), Role: message.Role, Text: message.Text}
	if n > 0 {
		made.ParentID = export.Messages[n-1].ID
	}
	for i, file := range message.Files {
		id := fmt.Sprintf("u%06d-%d", n, i)
		export.Uploads = append(export.Uploads, models.Upload{ID: id, Name: file.Name, ContentType: file.ContentType,
			Size: int64(len(file.Data)), Data: file.Data})
		made.Attachments = append(made.Attachments, models.Attachment{UploadID: id, Name: file.Name,
			ContentType: file.ContentType, Size: int64(len(file.Data))})
	}
	if len(message.Calls) > 0 {
		var entries []models.StepEntry
		var records []tools.Record
		if message.Text != "" {
			entries = append(entries, models.StepEntry{Type: "text", Text: message.Text})
		}
		for _, call := range message.Calls {
			entries = append(entries, models.StepEntry{Index: len(entries), Type: "tool_call", IDRef: call.ID})
			records = append(records, tools.Record{ID: call.ID, Type: "function",
				Function: tools.FunctionCall{Name: call.Name, Arguments: call.Arguments}, Success: true})
		}
		made.Steps, made.ToolCalls = mustJSON(entries), mustJSON(records)
	}
	export.Messages = append(export.Messages, made)
}

// addResult gives a message the result of one of its calls; false: it is of none.
func addResult(message *models.Message, result Message) bool {
	var entries []models.StepEntry
	var records []tools.Record
	if len(message.ToolCalls) == 0 || json.Unmarshal(message.Steps, &entries) != nil ||
		json.Unmarshal(message.ToolCalls, &records) != nil {
		return false
	}
	for i := range records {
		if records[i].ID == result.CallID && records[i].Result == "" {
			if records[i].Result = result.Text; !json.Valid([]byte(result.Text)) {
				records[i].Result = string(mustJSON(result.Text))
			}
			entries = append(entries, models.StepEntry{Index: len(entries), Type: "tool_result", IDRef: result.CallID})
			message.Steps, message.ToolCalls = mustJSON(entries), mustJSON(records)
			return true
		}
	}
	return false
}

func mustJSON(v any) models.RawJSON {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // a mistake in the program
	}
	return encoded
}

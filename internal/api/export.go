package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// exportFormat names the document that an export is and an import takes.
const exportFormat = "nanoclaw.conversation/1"

// ConversationExport is a conversation with all its branches and attachments.
type ConversationExport struct {
	Format       string               `json:"format" enum:"nanoclaw.conversation/1"`
	ExportedAt   time.Time            `json:"exported_at,omitzero"`
	Conversation ExportedConversation `json:"conversation"`
	Messages     []ExportedMessage    `json:"messages" maxItems:"200000" doc:"All branches, oldest first."`
	Uploads      []ExportedUpload     `json:"uploads,omitempty" maxItems:"10000" doc:"The attachments' bytes."`
}

// ExportedConversation are a conversation's settings.
type ExportedConversation struct {
	ID           string    `json:"id,omitempty" doc:"An import gets new ids."`
	ProjectID    string    `json:"project_id,omitempty" doc:"Kept where there is such a project."`
	Title        string    `json:"title,omitempty" maxLength:"500"`
	TitleGiven   bool      `json:"title_given,omitempty"`
	Agent        string    `json:"agent,omitempty" maxLength:"64"`
	Model        string    `json:"model,omitempty" maxLength:"200"`
	SystemPrompt string    `json:"system_prompt,omitempty" maxLength:"200000"`
	Temperature  *float64  `json:"temperature,omitempty" minimum:"0" maximum:"2"`
	MaxTokens    int       `json:"max_tokens,omitempty" minimum:"0" maximum:"10000000"`
	Thinking     string    `json:"thinking,omitempty" enum:",on,off,low,medium,high"`
	ToolsEnabled bool      `json:"tools_enabled,omitempty"`
	Pinned       bool      `json:"pinned,omitempty"`
	Tags         []string  `json:"tags,omitempty"`
	ActiveLeafID string    `json:"active_leaf_id,omitempty"`
	CreatedAt    time.Time `json:"created_at,omitzero"`
	UpdatedAt    time.Time `json:"updated_at,omitzero"`
}

// ExportedMessage is one message.
type ExportedMessage struct {
	ID          string              `json:"id" minLength:"1" maxLength:"100"`
	ParentID    string              `json:"parent_id,omitempty"`
	Role        string              `json:"role" enum:"user,assistant"`
	Text        string              `json:"text"`
	Attachments []models.Attachment `json:"attachments,omitempty"`
	Steps       []models.StepEntry  `json:"steps,omitempty"`
	ToolCalls   []runs.ToolCall     `json:"tool_calls,omitempty"`
	Usage       *runs.Usage         `json:"usage,omitempty"`
	Model       string              `json:"model,omitempty" maxLength:"200"`
	CreatedAt   time.Time           `json:"created_at,omitzero"`
}

// ExportedUpload is an attachment with its bytes.
type ExportedUpload struct {
	ID          string `json:"id"`
	Name        string `json:"name" maxLength:"500"`
	ContentType string `json:"content_type" maxLength:"200"`
	Data        []byte `json:"data" doc:"In base64."`
}

type exportInput struct {
	PathID
	Format string `query:"format" enum:"md,json" default:"md"`
	Branch string `query:"branch" default:"active" doc:"Of md: active, all, or the id of a message. JSON always has all."`
}

type exportOutput struct {
	ContentDisposition string `header:"Content-Disposition"`
	Body               func(huma.Context)
}

func (s *server) registerExport() {
	const tag = "Conversations"
	handle(s, op("GET", "/conversations/{id}/export", "export-conversation", tag, "A conversation as a file",
		describe("md is for people; json has everything, and POST /conversations/import takes it."),
		answers("200", "OK", "application/json", schemaOf[ConversationExport](s), "Content-Disposition"),
		answers("200", "OK", "text/markdown", &huma.Schema{Type: "string"})), s.exportConversation)
	s.takesFiles["POST "+basePath+"/conversations/import"] = true
	handle(s, op("POST", "/conversations/import", "import-conversation", tag, "Make a conversation from an export",
		describe("All ids are new. The body may be as large as an upload."), status(http.StatusCreated)),
		s.importConversation)
}

func (s *server) exportConversation(ctx context.Context, in *exportInput) (*exportOutput, error) {
	export, err := s.Store.ExportConversation(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	name := export.Conversation.Title
	if name == "" {
		name = "conversation"
	}
	if in.Format == "json" {
		document, err := viewExport(export)
		if err != nil {
			return nil, err
		}
		return &exportOutput{disposition(name+".json", true), func(hc huma.Context) {
			c := humaecho.Unwrap(hc)
			if err := c.JSON(http.StatusOK, document); err != nil {
				c.Error(err)
			}
		}}, nil
	}
	messages, err := s.messages(ctx, in.ID, in.Branch)
	if err != nil {
		return nil, err
	}
	text, err := conversationMarkdown(&export.Conversation, messages)
	if err != nil {
		return nil, err
	}
	return &exportOutput{disposition(name+".md", true), func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		if err := c.Blob(http.StatusOK, "text/markdown; charset=utf-8", []byte(text)); err != nil {
			c.Error(err)
		}
	}}, nil
}

func viewExport(export *store.Export) (*ConversationExport, error) {
	conv := export.Conversation
	out := &ConversationExport{
		Format: exportFormat, ExportedAt: time.Now().UTC(), Messages: make([]ExportedMessage, len(export.Messages)),
		Uploads: []ExportedUpload{},
		Conversation: ExportedConversation{
			ID: conv.ID, ProjectID: conv.ProjectID, Title: conv.Title, TitleGiven: conv.TitleGiven, Agent: conv.Agent,
			Model:        conv.Model,
			SystemPrompt: conv.SystemPrompt, Temperature: conv.Temperature, MaxTokens: conv.MaxTokens,
			Thinking:     conv.Thinking,
			ToolsEnabled: conv.ToolsEnabled, Pinned: conv.Pinned, Tags: conv.Tags, ActiveLeafID: conv.ActiveLeafID,
			CreatedAt: conv.CreatedAt.Std(), UpdatedAt: conv.UpdatedAt.Std(),
		},
	}
	for i := range export.Messages {
		stored := &export.Messages[i]
		message, err := runs.ViewMessage(stored)
		if err != nil {
			return nil, err
		}
		out.Messages[i] = ExportedMessage{
			ID: message.ID, ParentID: stored.ParentID, Role: message.Role, Text: message.Text,
			Attachments: message.Attachments,
			Steps:       message.Steps, ToolCalls: message.ToolCalls, Usage: message.Usage, Model: message.Model,
			CreatedAt: message.CreatedAt.Std(),
		}
	}
	for _, upload := range export.Uploads {
		out.Uploads = append(out.Uploads, ExportedUpload{ID: upload.ID, Name: upload.Name,
			ContentType: upload.ContentType, Data: upload.Data})
	}
	return out, nil
}

func (s *server) importConversation(ctx context.Context,
	in *struct{ Body ConversationExport }) (*conversationOutput, error) {
	export, err := readExport(&in.Body)
	if err != nil {
		return nil, err
	}
	if _, known := s.Runs.Profile(export.Conversation.Agent); !known {
		export.Conversation.Agent = "" // of another server
	}
	if !s.knowsModel(export.Conversation.Model) {
		export.Conversation.Model = ""
	}
	conv, err := s.Store.ImportConversation(ctx, currentUser(ctx), *export)
	if err != nil {
		return nil, err
	}
	out := s.tellConversation(ctx, conv, "")
	out.Location = basePath + "/conversations/" + conv.ID
	return out, nil
}

func readExport(in *ConversationExport) (*store.Export, error) {
	from := in.Conversation
	tags, err := checkTags(from.Tags)
	if err != nil {
		return nil, err
	}
	export := &store.Export{Conversation: models.Conversation{
		ProjectID: from.ProjectID, Title: from.Title, TitleGiven: from.TitleGiven, Agent: from.Agent, Model: from.Model,
		SystemPrompt: from.SystemPrompt, Temperature: from.Temperature, MaxTokens: from.MaxTokens,
		Thinking:     from.Thinking,
		ToolsEnabled: from.ToolsEnabled, Pinned: from.Pinned, Tags: tags, ActiveLeafID: from.ActiveLeafID,
		CreatedAt: models.TimeOf(from.CreatedAt), UpdatedAt: models.TimeOf(from.UpdatedAt),
	}}
	for i, m := range in.Messages {
		message := models.Message{
			ID: m.ID, ParentID: m.ParentID, Role: m.Role, Text: m.Text, Attachments: m.Attachments, Model: m.Model,
			CreatedAt: models.TimeOf(m.CreatedAt),
		}
		for _, column := range []struct {
			value any
			empty bool
			into  *models.RawJSON
		}{{m.Steps, len(m.Steps) == 0, &message.Steps}, {m.ToolCalls, len(m.ToolCalls) == 0, &message.ToolCalls},
			{m.Usage, m.Usage == nil, &message.Usage}} {
			if column.empty {
				continue
			}
			text, err := jsonText(column.value)
			if err != nil {
				return nil, fmt.Errorf("read message %d of an import: %w", i, err)
			}
			*column.into = text
		}
		export.Messages = append(export.Messages, message)
	}
	for _, u := range in.Uploads {
		export.Uploads = append(export.Uploads, models.Upload{ID: u.ID, Name: u.Name, ContentType: u.ContentType,
			Data: u.Data})
	}
	return export, nil
}

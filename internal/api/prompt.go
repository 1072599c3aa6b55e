package api

import (
	"context"
	"net/http"
	"strings"

	"nanoclaw/internal/models"
)

// Prompt is a text that a person keeps to send again.
type Prompt struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Text      string      `json:"text" doc:"With {{placeholders}} for what the person fills in."`
	Shared    bool        `json:"shared" doc:"Everybody on the server can use it."`
	Own       bool        `json:"own" doc:"It is the caller's, who alone can change it."`
	CreatedAt models.Time `json:"created_at"`
	UpdatedAt models.Time `json:"updated_at"`
}

// PromptSettings are what can be set of a prompt. In a change, what is left out stays.
type PromptSettings struct {
	Name   *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Text   *string `json:"text,omitempty" minLength:"1" maxLength:"100000"`
	Shared *bool   `json:"shared,omitempty"`
}

type promptOutput struct{ Body Prompt }

func (s *server) registerPrompts() {
	const tag = "Prompts"
	handle(s, op("GET", "/prompts", "list-prompts", tag, "Prompts, one's own and what others share, last changed first"),
		s.listPrompts)
	handle(s, op("POST", "/prompts", "create-prompt", tag, "Keep a prompt", status(http.StatusCreated)), s.createPrompt)
	handle(s, op("PATCH", "/prompts/{id}", "change-prompt", tag, "Change a prompt of one's own"), s.changePrompt)
	handle(s, op("DELETE", "/prompts/{id}", "delete-prompt", tag, "Delete a prompt of one's own", status(204)),
		s.deletePrompt)
}

func viewPrompt(ctx context.Context, m *models.Prompt) Prompt {
	return Prompt{ID: m.ID, Name: m.Name, Text: m.Text, Shared: m.Shared, Own: m.UserID == currentUser(ctx),
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
}

func (s *server) listPrompts(ctx context.Context, in *PageInput) (*listOutput[Prompt], error) {
	part, err := s.Store.ListPrompts(ctx, currentUser(ctx), in.page())
	if err != nil {
		return nil, err
	}
	return &listOutput[Prompt]{newList(part, func(m *models.Prompt) Prompt { return viewPrompt(ctx, m) })}, nil
}

func (s *server) createPrompt(ctx context.Context, in *struct{ Body PromptSettings }) (*promptOutput, error) {
	made := &models.Prompt{UserID: currentUser(ctx)}
	switch {
	case in.Body.Name == nil:
		return nil, invalidField("body.name", "it is missing")
	case in.Body.Text == nil:
		return nil, invalidField("body.text", "it is missing")
	}
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	in.Body.apply(made)
	if err := s.Store.CreatePrompt(ctx, made); err != nil {
		return nil, err
	}
	return &promptOutput{viewPrompt(ctx, made)}, nil
}

func (s *server) changePrompt(ctx context.Context, in *struct {
	PathID
	Body PromptSettings
}) (*promptOutput, error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	changed, err := s.Store.ChangePrompt(ctx, currentUser(ctx), in.ID, in.Body.apply)
	if err != nil {
		return nil, err
	}
	return &promptOutput{viewPrompt(ctx, changed)}, nil
}

func (s *server) deletePrompt(ctx context.Context, in *PathID) (*struct{}, error) {
	return nil, s.Store.DeletePrompt(ctx, currentUser(ctx), in.ID)
}

func (p PromptSettings) check() error {
	for field, value := range map[string]*string{"body.name": p.Name, "body.text": p.Text} {
		if value != nil && strings.TrimSpace(*value) == "" {
			return invalidField(field, "it is empty")
		}
	}
	return nil
}

func (p PromptSettings) apply(to *models.Prompt) {
	if p.Name != nil {
		to.Name = strings.TrimSpace(*p.Name)
	}
	if p.Text != nil {
		to.Text = *p.Text
	}
	if p.Shared != nil {
		to.Shared = *p.Shared
	}
}

package runs

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// TitleSettings say whether a model names conversations, and which one.
type TitleSettings struct {
	Generate bool
	Model    string // empty: the one that answered
}

const (
	titleTimeout = 30 * time.Second
	// titleReads is how much of a message the model is shown, in code points.
	titleReads = 2000
	// titleTokens leaves room for models that reason unasked.
	titleTokens = 1000
	titlePrompt = "You name conversations. Write a title of two to six words for the conversation below, in the language " +
		"of its first message. Name the matter, as the subject line of a mail does. No quotes, no full stop, no Markdown. " +
		"Answer with the title alone."
)

// nameLater asks a model for a conversation's title once its first turn has ended. A title
// is not worth a failure: what goes wrong is logged, and the title stays.
func (s *Service) nameLater(run *models.Run) {
	if !s.Settings().Titles.Generate || run.Status != models.RunCompleted {
		return
	}
	s.goDo(func() {
		ctx, cancel := context.WithTimeout(s.ctx, titleTimeout)
		defer cancel()
		if err := s.nameConversation(ctx, run); err != nil {
			s.Logger.InfoContext(ctx, "a conversation keeps the beginning of its first message as its title",
				"conversation", run.ConversationID, "error", err)
		}
	})
}

// nameConversation replaces the title that the run's own message gave.
func (s *Service) nameConversation(ctx context.Context, run *models.Run) error {
	conv, err := s.Store.GetConversation(ctx, run.UserID, run.ConversationID)
	if err != nil {
		return err
	}
	old := titleOf(run.Input.Text)
	if conv.TitleGiven || conv.Hidden || conv.TaskOf != "" || conv.Title != old || old == "" {
		return nil
	}
	branch, err := s.Store.Branch(ctx, conv.ID, run.AssistantMessageID)
	if err != nil {
		return err
	}
	title, used, err := s.askTitle(ctx, run, branch)
	if err != nil || used == nil {
		return err
	}
	return s.commit(ctx, func(tx *store.Tx) error {
		titled, err := tx.ReplaceTitle(run, old, title)
		if err != nil {
			return err
		}
		if titled != nil {
			tx.Send(conversationRow(titled, ""))
		}
		return tx.AddUsage(used)
	})
}

// Retitle has a model name a conversation anew, whoever named it before. Errors:
// not_found, *InvalidError, *llm.Error.
func (s *Service) Retitle(ctx context.Context, userID, conversationID string) (*models.Conversation, error) {
	conv, err := s.Store.GetConversation(ctx, userID, conversationID)
	if err != nil {
		return nil, err
	}
	branch, err := s.Store.Branch(ctx, conv.ID, conv.ActiveLeafID)
	if err != nil {
		return nil, err
	}
	if len(branch) == 0 {
		return nil, &InvalidError{Field: "id", Message: "the conversation is empty: there is nothing to name",
			Code: "invalid_arguments"}
	}
	// What it uses counts as the last turn's.
	asks := &models.Run{ID: branch[len(branch)-1].RunID, UserID: conv.UserID, ActorID: userID, ConversationID: conv.ID,
		ProjectID: conv.ProjectID, Agent: conv.Agent}
	asks.RootRunID = asks.ID
	asks.Settings.Model = s.modelOf(conv)
	ctx, cancel := context.WithTimeout(ctx, titleTimeout)
	defer cancel()
	title, used, err := s.askTitle(ctx, asks, branch)
	if err != nil {
		return nil, err
	}
	if used == nil {
		title = titleOf(branch[0].Text)
	} else if err := s.commit(ctx, func(tx *store.Tx) error { return tx.AddUsage(used) }); err != nil {
		return nil, err
	}
	return s.Store.UpdateConversation(ctx, userID, conv.ID, 0, func(conv *models.Conversation) error {
		conv.Title, conv.TitleGiven = title, false
		return nil
	})
}

// modelOf is the model that the next turn of a conversation uses.
func (s *Service) modelOf(conv *models.Conversation) string {
	profile, _ := s.Profile(conv.Agent)
	return firstOf(conv.Model, profile.Model, s.Models.Default())
}

// askTitle has a model name a branch. used is nil where the model is the demo, which has
// nothing to say.
func (s *Service) askTitle(ctx context.Context, run *models.Run, branch []models.Message) (title string,
	used *models.TokenUsage, err error) {
	model, err := s.Models.Get(firstOf(s.Settings().Titles.Model, run.Settings.Model))
	if err != nil || model.Info().Provider == "demo" {
		return "", nil, err
	}
	id := model.Info().ID
	if err := errors.Join(s.mayUse(ctx, run, id), s.budget(run)(ctx)); err != nil {
		return "", nil, err
	}
	request := llm.Request{MaxTokens: titleTokens, Thinking: llm.ThinkingOff, Messages: []llm.Message{
		{Role: llm.RoleSystem, Text: titlePrompt}, {Role: llm.RoleUser, Text: s.Redactor.String(titleSubject(branch))}}}
	for event, err := range model.Stream(ctx, request) {
		if err != nil {
			return "", nil, err
		}
		if event.Kind == llm.EventDone {
			if title = cleanTitle(event.Response.Text); title == "" {
				return "", nil, &llm.Error{Code: llm.CodeProtocol, Model: id, Message: "the model gave no title"}
			}
			return title, s.usageRow(run, id, event.Response.Usage), nil
		}
	}
	return "", nil, &llm.Error{Code: llm.CodeProtocol, Model: id, Message: "stream ended without a finish event"}
}

// titleSubject is what a model is shown of a branch: how it began, and where it is.
func titleSubject(branch []models.Message) string {
	const most = 4
	if len(branch) > most {
		branch = append(append([]models.Message{}, branch[:2]...), branch[len(branch)-2:]...)
	}
	var b strings.Builder
	for _, message := range branch {
		name := "User"
		if message.Role == models.RoleAssistant {
			name = "Assistant"
		}
		b.WriteString(name + ": " + firstRunes(strings.TrimSpace(message.Text), titleReads) + "\n\n")
	}
	return b.String()
}

// around are the characters that models put around a title.
const around = "\"'`*#_“”‘’«»「」《》 "

// cleanTitle is the first line of an answer that says something, without what models put
// around a title.
func cleanTitle(answer string) string {
	for line := range strings.Lines(answer) {
		line = strings.Join(strings.Fields(line), " ")
		for _, label := range []string{"Title:", "标题：", "标题:"} {
			line = strings.TrimPrefix(strings.Trim(line, around), label)
		}
		line = strings.Trim(strings.TrimRight(strings.Trim(line, around), ".。"), around)
		if line != "" {
			return firstRunes(line, titleLength)
		}
	}
	return ""
}

// firstRunes cuts a text to n code points.
func firstRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:n])) + "…"
}

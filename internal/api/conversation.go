package api

import (
	"context"
	"errors"
	"net/http"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Conversation is a tree of messages with the settings of its runs.
type Conversation = runs.ConversationView

type conversationOutput struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     *Conversation
}

type createConversationInput struct {
	Body *ConversationSettings
}

type patchConversationInput struct {
	PathID
	IfMatchInput
	Body struct {
		ConversationSettings
		ActiveLeafID Optional[string] `json:"active_leaf_id,omitempty" doc:"A message: the newest branch through it becomes the active one."`
	}
}

type deleteConversationInput struct {
	PathID
	IfMatchInput
}

func (s *server) registerConversations() {
	const tag = "Conversations"
	handle(s, op("GET", "/conversations", "list-conversations", tag, "Conversations, last changed first"),
		s.listConversations)
	handle(s, op("POST", "/conversations", "create-conversation", tag, "Open a conversation",
		status(http.StatusCreated)), s.createConversation)
	handle(s, op("GET", "/conversations/{id}", "get-conversation", tag, "A conversation"), s.getConversation)
	handle(s, op("PATCH", "/conversations/{id}", "change-conversation", tag, "Change a conversation",
		describe("Everybody who watches gets the event conversation.updated.")), s.patchConversation)
	handle(s, op("POST", "/conversations/{id}/title", "retitle-conversation", tag, "Have a model name a conversation",
		describe("It replaces a title that a person gave, too. The model is titles.model of config.yml, or the "+
			"conversation's.")), s.retitleConversation)
	handle(s, op("DELETE", "/conversations/{id}", "delete-conversation", tag, "Delete a conversation with its messages",
		describe("Its runs and background tasks that are at work are stopped first, and what its commands left running ends.")),
		s.deleteConversation)
}

func (s *server) createConversation(ctx context.Context, in *createConversationInput) (*conversationOutput, error) {
	conv := &models.Conversation{UserID: currentUser(ctx), ToolsEnabled: true}
	if in.Body != nil {
		if err := s.apply(in.Body, conv); err != nil {
			return nil, err
		}
	}
	if err := s.Store.CreateConversation(ctx, conv); err != nil {
		return nil, err
	}
	out := s.tellConversation(ctx, conv, "")
	out.Location = basePath + "/conversations/" + conv.ID
	return out, nil
}

// tellConversation shows a conversation that was changed, to the client and to
// everybody who watches.
func (s *server) tellConversation(ctx context.Context, conv *models.Conversation,
	activeRunID string) *conversationOutput {
	out := &conversationOutput{ETag: versionTag(conv.Version), Body: runs.ViewConversation(conv, activeRunID)}
	s.Runs.TellConversation(ctx, conv.UserID, out.Body)
	return out
}

func (s *server) getConversation(ctx context.Context, in *PathID) (*conversationOutput, error) {
	conv, err := s.Store.GetConversation(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	active, err := s.activeRun(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	return &conversationOutput{ETag: versionTag(conv.Version), Body: runs.ViewConversation(conv, active)}, nil
}

func (s *server) retitleConversation(ctx context.Context, in *PathID) (*conversationOutput, error) {
	conv, err := s.Runs.Retitle(ctx, currentUser(ctx), in.ID)
	var failed *llm.Error
	if errors.As(err, &failed) {
		return nil, newProblem(http.StatusBadGateway, failed.Code, failed.Message)
	}
	if err != nil {
		return nil, err
	}
	active, err := s.activeRun(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	return s.tellConversation(ctx, conv, active), nil
}

// activeRun is the id of the run at work in a conversation, or "".
func (s *server) activeRun(ctx context.Context, conversationID string) (string, error) {
	active, err := s.Store.ActiveRuns(ctx, conversationID)
	if err != nil || len(active) == 0 || active[0].Deferred {
		return "", err
	}
	return active[0].ID, nil
}

func (s *server) patchConversation(ctx context.Context, in *patchConversationInput) (*conversationOutput, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	user, leaf := currentUser(ctx), in.Body.ActiveLeafID
	if leaf.Null {
		return nil, invalidField("body.active_leaf_id",
			"name a message; to begin anew, send the next turn with parent_message_id null")
	}
	if leaf.Set { // before anything is changed
		message, err := s.Store.GetMessage(ctx, user, leaf.Value)
		if err == nil && message.ConversationID != in.ID {
			err = newProblem(http.StatusNotFound, codeNotFound, "there is no message "+quoted(leaf.Value)+
				" in this conversation")
		}
		if err != nil {
			return nil, err
		}
	}
	conv, err := s.Store.UpdateConversation(ctx, user, in.ID, version, func(conv *models.Conversation) error {
		before := guard.ModeOf(conv.PermissionMode)
		if err := s.apply(&in.Body.ConversationSettings, conv); err != nil || guard.ModeOf(conv.PermissionMode) == before {
			return err
		}
		return s.requirePerson(ctx) // else a tool could lift what keeps it from acting
	})
	if err != nil {
		return nil, err
	}
	if leaf.Set {
		if conv, err = s.Store.SwitchBranch(ctx, user, in.ID, leaf.Value); err != nil {
			return nil, err
		}
	}
	active, err := s.activeRun(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	return s.tellConversation(ctx, conv, active), nil
}

func (s *server) deleteConversation(ctx context.Context, in *deleteConversationInput) (*struct{}, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	user := currentUser(ctx)
	conv, err := s.Store.GetConversation(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	if version != 0 && version != conv.Version {
		return nil, stale()
	}
	active, err := s.Store.ActiveRuns(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := len(active) - 1; i >= 0; i-- { // those that wait for their turn first, or they would begin
		ids = append(ids, active[i].ID)
	}
	if err := s.stopRuns(ctx, currentUser(ctx), ids); err != nil {
		return nil, err
	}
	if err := s.stopTasks(ctx, user, in.ID); err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		version = 0 // their end was a change too
	}
	if err := s.Store.DeleteConversation(ctx, user, in.ID, version); err != nil {
		return nil, err
	}
	s.Runs.TellDeleted(ctx, *conv)
	if s.Processes != nil {
		err = s.Processes.EndConversation(ctx, in.ID)
	}
	s.forget(ctx, store.DeletedConversation, in.ID)
	return nil, err
}

// forget deletes the files of what was deleted.
func (s *server) forget(ctx context.Context, kind, id string) {
	if s.Forget != nil {
		s.Forget(ctx, kind, id)
	}
}

package api

import (
	"context"
	"net/http"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// Message is one entry of a conversation.
type Message = runs.MessageView

// maxMessageList is how many messages one answer has, at most.
const maxMessageList = 1000

// Messages is a part of a branch, with the place in the event log from which its
// reader goes on.
type Messages struct {
	List[*Message]
	EventsCursor string `json:"events_cursor" doc:"Follow GET /conversations/{id}/events?after= from here: nothing is missed. Of several parts the first one's counts."`
}

type listMessagesInput struct {
	PathID
	PageInput
	Branch string `query:"branch" default:"active" doc:"active: the active branch from its root; all: every message of the tree, oldest first; or the id of a message: from the root to it."`
}

// PathMessage is the message that a path names.
type PathMessage struct {
	MessageID string `path:"mid"`
}

type editInput struct {
	PathMessage
	Body struct {
		Text string `json:"text" doc:"In Markdown. It replaces all texts of the answer."`
	}
}

type messageIDs struct {
	PathID
	MessageID string `path:"mid"`
}

func (s *server) registerMessages() {
	const tag = "Messages"
	handle(s, op("GET", "/conversations/{id}/messages", "list-messages", tag, "Messages of a branch, or of all"),
		s.listMessages)
	handle(s, op("DELETE", "/conversations/{id}/messages/{mid}", "delete-message", tag,
		"Delete a message and everything below it",
		describe("409 while a run is at work there.")), s.deleteMessage)
	handle(s, op("POST", "/messages/{mid}/edit", "edit-answer", tag, "Put another text in place of an answer's",
		describe("The changed answer stands beside the old one, with its tool calls, and the next turns see it. 409 "+
			"while a run is at work there."), status(http.StatusCreated)), s.editAnswer)
	handle(s, op("POST", "/messages/{mid}/fork", "fork-conversation", tag, "Begin a conversation of its own at a message",
		describe("It has the messages from the root to this one, their attachments, and the settings of the first "+
			"conversation, which stays as it is."), status(http.StatusCreated)), s.forkConversation)
}

func (s *server) listMessages(ctx context.Context, in *listMessagesInput) (*struct{ Body Messages }, error) {
	cursor := s.Runs.EventsCursor() // before anything is read
	messages, err := s.messages(ctx, in.ID, in.Branch)
	if err != nil {
		return nil, err
	}
	part, err := cut(messages, in.PageInput, "messages", maxMessageList)
	if err != nil {
		return nil, err
	}
	out := Messages{EventsCursor: cursor, List: List[*Message]{Items: make([]*Message, len(part.Items)),
		NextCursor: part.NextCursor}}
	for i := range part.Items {
		if out.Items[i], err = runs.ViewMessage(&part.Items[i]); err != nil {
			return nil, err
		}
	}
	return &struct{ Body Messages }{out}, nil
}

// messages reads a branch: active, all, or up to the message of that id.
func (s *server) messages(ctx context.Context, conversationID, branch string) ([]models.Message, error) {
	conv, err := s.Store.GetConversation(ctx, currentUser(ctx), conversationID)
	if err != nil {
		return nil, err
	}
	switch branch {
	case "all":
		return s.Store.AllMessages(ctx, conv.UserID, conv.ID)
	case "", "active":
		return s.Store.Branch(ctx, conv.ID, conv.ActiveLeafID)
	}
	return s.Store.Branch(ctx, conv.ID, branch)
}

func (s *server) deleteMessage(ctx context.Context, in *messageIDs) (*struct{}, error) {
	user := currentUser(ctx)
	if err := s.Store.DeleteMessage(ctx, user, in.ID, in.MessageID); err != nil {
		return nil, err
	}
	conv, err := s.Store.GetConversation(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	active, err := s.activeRun(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	s.tellConversation(ctx, conv, active)
	return nil, nil
}

func (s *server) editAnswer(ctx context.Context, in *editInput) (*struct{ Body *Message }, error) {
	message, err := s.Runs.EditAnswer(ctx, currentUser(ctx), currentName(ctx), in.MessageID, in.Body.Text)
	return &struct{ Body *Message }{message}, err
}

func (s *server) forkConversation(ctx context.Context, in *PathMessage) (*conversationOutput, error) {
	conv, err := s.Store.ForkConversation(ctx, currentUser(ctx), in.MessageID)
	if err != nil {
		return nil, err
	}
	out := s.tellConversation(ctx, conv, "")
	out.Location = basePath + "/conversations/" + conv.ID
	return out, nil
}

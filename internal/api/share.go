package api

import (
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/models"
)

// ShareLink shows one conversation to everybody who has the link.
type ShareLink struct {
	ID        string     `json:"id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" doc:"null: it holds until it is revoked."`
}

// NewShareLink is a link with its address, which is shown once.
type NewShareLink struct {
	ShareLink
	Path string `json:"path" doc:"To be put behind the server's address. It is shown once." example:"/shared#…"`
}

// SharedConversation is what a link shows.
type SharedConversation struct {
	Title    string          `json:"title"`
	Messages []SharedMessage `json:"messages" doc:"Of the active branch, oldest first."`
}

// SharedMessage is a message without what it was made with.
type SharedMessage struct {
	Role        string    `json:"role" enum:"user,assistant"`
	Text        string    `json:"text"`
	Attachments []string  `json:"attachments" doc:"Names of files; their bytes are not shared."`
	CreatedAt   time.Time `json:"created_at"`
}

type newShareInput struct {
	PathID
	Body *struct {
		ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"Left out: it holds until it is revoked."`
	}
}

type shareIDs struct {
	PathID
	LinkID string `path:"mid"`
}

type openSharedInput struct {
	Body struct {
		Token string `json:"token" maxLength:"200" doc:"What stands behind # in the link."`
	}
}

func (s *server) registerShares() {
	const tag = "Conversations"
	handle(s, op("GET", "/conversations/{id}/share", "list-share-links", tag, "Links that show a conversation to others",
		ofAccounts, needs(rightOwner)), s.listShareLinks)
	handle(s, op("POST", "/conversations/{id}/share", "create-share-link", tag,
		"Make a link that shows a conversation, read-only", describe("Who has the link needs no account, and sees the "+
			"texts of the active branch and nothing else."), status(http.StatusCreated), ofAccounts, needs(rightOwner),
		byPersons), s.createShareLink)
	handle(s, op("DELETE", "/conversations/{id}/share/{mid}", "revoke-share-link", tag, "Revoke a link", ofAccounts,
		needs(rightOwner)), s.revokeShareLink)
	handle(s, op("POST", "/shared", "open-shared", tag, "The conversation that a link shows",
		describe("A POST, so that the token is in no log and no history. 404: no such link, expired or revoked."),
		ofAccounts, needs(rightPublic)), s.openShared)
}

func viewShareLink(l *models.ShareLink) ShareLink {
	view := ShareLink{ID: l.ID, CreatedAt: l.CreatedAt.Std()}
	if l.ExpiresAt != 0 {
		at := l.ExpiresAt.Std()
		view.ExpiresAt = &at
	}
	return view
}

func (s *server) listShareLinks(ctx context.Context, in *PathID) (*listOutput[ShareLink], error) {
	links, err := s.Store.ListShareLinks(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	shown := make([]ShareLink, len(links))
	for i := range links {
		shown[i] = viewShareLink(&links[i])
	}
	return &listOutput[ShareLink]{wholeList(shown)}, nil
}

func (s *server) createShareLink(ctx context.Context, in *newShareInput) (*struct{ Body NewShareLink }, error) {
	secret, hash := accounts.NewSecret()
	link := &models.ShareLink{Hash: hash, ConversationID: in.ID}
	if in.Body != nil && in.Body.ExpiresAt != nil {
		if !in.Body.ExpiresAt.After(time.Now()) {
			return nil, invalidField("body.expires_at", "is in the past")
		}
		link.ExpiresAt = models.TimeOf(*in.Body.ExpiresAt)
	}
	change := fileChange{operation: "create-share-link", arguments: map[string]any{"conversation": in.ID}}
	err := s.audited(ctx, change, func() error { return s.Store.CreateShareLink(ctx, currentUser(ctx), link) })
	if err != nil {
		return nil, err
	}
	return &struct{ Body NewShareLink }{NewShareLink{viewShareLink(link), "/shared#" + secret}}, nil
}

func (s *server) revokeShareLink(ctx context.Context, in *shareIDs) (*struct{}, error) {
	change := fileChange{operation: "revoke-share-link", arguments: map[string]any{"conversation": in.ID,
		"link": in.LinkID}}
	return nil, s.audited(ctx, change, func() error {
		return s.Store.DeleteShareLink(ctx, currentUser(ctx), in.ID, in.LinkID)
	})
}

func (s *server) openShared(ctx context.Context, in *openSharedInput) (*struct{ Body SharedConversation }, error) {
	conv, err := s.Store.SharedConversation(ctx, accounts.HashOf(in.Body.Token))
	if err != nil {
		return nil, err
	}
	out := SharedConversation{Title: conv.Title, Messages: []SharedMessage{}}
	if conv.ActiveLeafID == "" {
		return &struct{ Body SharedConversation }{out}, nil
	}
	messages, err := s.Store.Branch(ctx, conv.ID, conv.ActiveLeafID)
	if err != nil {
		return nil, err
	}
	for _, message := range messages {
		shown := SharedMessage{Role: message.Role, Text: message.Text, Attachments: []string{},
			CreatedAt: message.CreatedAt.Std()}
		for _, attachment := range message.Attachments {
			shown.Attachments = append(shown.Attachments, attachment.Name)
		}
		out.Messages = append(out.Messages, shown)
	}
	return &struct{ Body SharedConversation }{out}, nil
}

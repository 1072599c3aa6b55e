package api

import (
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/models"
)

// Session is a browser that is signed in to the own account.
type Session struct {
	ID         string    `json:"id"`
	Address    string    `json:"address"`
	Client     string    `json:"client" doc:"The browser, as it calls itself."`
	Current    bool      `json:"current" doc:"It is the one that asks."`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// APIToken is an API token, without its text.
type APIToken struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Scope      string     `json:"scope" enum:"read,run,admin" doc:"read: look at everything that its person sees. run: change things and start runs, too, but decide on no approval. admin: everything."`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty" doc:"Absent: never."`
	ExpiresAt  *time.Time `json:"expires_at,omitempty" doc:"Absent: it does not expire."`
}

// NewAPIToken is a token with its text, which is shown this once.
type NewAPIToken struct {
	APIToken
	Text string `json:"token" doc:"For the header Authorization: Bearer. It is never shown again."`
}

type newTokenInput struct {
	Body struct {
		Name      string    `json:"name" minLength:"1" maxLength:"200"`
		Scope     string    `json:"scope" enum:"read,run,admin"`
		ExpiresAt time.Time `json:"expires_at,omitempty" doc:"Left out: it does not expire."`
	}
}

func (s *server) registerSessions() {
	const tag = "Account"
	handle(s, op("GET", "/auth/sessions", "list-sessions", tag, "Browsers that are signed in", ofAccounts,
		needs(rightAccount)),
		s.listSessions)
	handle(s, op("DELETE", "/auth/sessions/{id}", "end-session", tag, "Sign a browser out", ofAccounts,
		needs(rightAccount)),
		s.endSession)
}

func (s *server) listSessions(ctx context.Context, _ *struct{}) (*listOutput[Session], error) {
	identity := requestOf(ctx).identity
	list, err := s.Store.ListSessions(ctx, identity.User.ID)
	if err != nil {
		return nil, err
	}
	shown := make([]Session, len(list))
	for i, one := range list {
		shown[i] = Session{ID: one.ID, Address: one.Address, Client: one.Client,
			Current:   identity.Session != nil && identity.Session.ID == one.ID,
			CreatedAt: one.CreatedAt.Std(), LastSeenAt: one.LastSeenAt.Std(), ExpiresAt: one.ExpiresAt.Std()}
	}
	return &listOutput[Session]{wholeList(shown)}, nil
}

func (s *server) endSession(ctx context.Context, in *PathID) (*struct{}, error) {
	return nil, s.audited(ctx, fileChange{operation: "end-session"}, func() error {
		return s.Accounts.SignOut(context.WithoutCancel(ctx), currentUser(ctx), in.ID)
	})
}

func (s *server) registerTokens() {
	const tag = "Account"
	handle(s, op("GET", "/tokens", "list-tokens", tag, "API tokens of the account", ofAccounts,
		needs(rightAccount)), s.listTokens)
	handle(s, op("POST", "/tokens", "create-token", tag, "Make an API token",
		describe("A program has the rights of the account with it, as far as the scope goes."),
		status(http.StatusCreated), ofAccounts, needs(rightAccount)), s.createToken)
	handle(s, op("DELETE", "/tokens/{id}", "delete-token", tag, "End an API token", ofAccounts, needs(rightAccount)),
		s.deleteToken)
}

func viewToken(t *models.APIToken) APIToken {
	return APIToken{ID: t.ID, Name: t.Name, Scope: t.Scope, CreatedAt: t.CreatedAt.Std(),
		LastUsedAt: momentOf(t.LastUsedAt), ExpiresAt: momentOf(t.ExpiresAt)}
}

func momentOf(t models.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	at := t.Std()
	return &at
}

func (s *server) listTokens(ctx context.Context, _ *struct{}) (*listOutput[APIToken], error) {
	list, err := s.Store.ListAPITokens(ctx, currentUser(ctx))
	if err != nil {
		return nil, err
	}
	shown := make([]APIToken, len(list))
	for i := range list {
		shown[i] = viewToken(&list[i])
	}
	return &listOutput[APIToken]{wholeList(shown)}, nil
}

func (s *server) createToken(ctx context.Context, in *newTokenInput) (*struct{ Body NewAPIToken }, error) {
	if err := s.requirePerson(ctx); err != nil {
		return nil, err
	}
	if user := requestOf(ctx).identity.User; in.Body.Scope == models.ScopeAdmin && user.Role == models.AccountViewer {
		return nil, invalidField("body.scope", "an account that may only read has tokens of scope read alone")
	}
	var text string
	var token *models.APIToken
	change := fileChange{operation: "create-token", arguments: map[string]any{"name": in.Body.Name,
		"scope": in.Body.Scope}}
	err := s.audited(ctx, change, func() (err error) {
		text, token, err = s.Accounts.NewToken(ctx, currentUser(ctx), in.Body.Name, in.Body.Scope, in.Body.ExpiresAt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &struct{ Body NewAPIToken }{NewAPIToken{viewToken(token), text}}, nil
}

func (s *server) deleteToken(ctx context.Context, in *PathID) (*struct{}, error) {
	return nil, s.audited(ctx, fileChange{operation: "delete-token"}, func() error {
		return s.Accounts.DeleteToken(context.WithoutCancel(ctx), currentUser(ctx), in.ID)
	})
}

package accounts

import (
	"context"
	"fmt"
	"time"

	"nanoclaw/internal/models"
)

// NewToken makes an API token. The text is shown once and never again.
func (s *Service) NewToken(ctx context.Context, userID, name, scope string,
	expires time.Time) (string, *models.APIToken, error) {
	list, err := s.Store.ListAPITokens(ctx, userID)
	if err != nil {
		return "", nil, err
	}
	if len(list) >= maxTokens {
		return "", nil, invalid("name", fmt.Sprintf("the account has %d tokens already: delete some", maxTokens))
	}
	secret, hash := newSecret(tokenPrefix)
	token := &models.APIToken{Hash: hash, UserID: userID, Name: name, Scope: scope}
	if !expires.IsZero() {
		if !expires.After(s.now()) {
			return "", nil, invalid("expires_at", "is in the past")
		}
		token.ExpiresAt = models.TimeOf(expires)
	}
	return secret, token, s.Store.CreateAPIToken(ctx, token)
}

// DeleteToken ends an API token at once.
func (s *Service) DeleteToken(ctx context.Context, userID, id string) error {
	err := s.Store.DeleteAPIToken(ctx, userID, id)
	s.watching.end(func(i *Identity) bool { return i.Token != nil && i.Token.ID == id })
	return err
}

package accounts

import (
	"cmp"
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// NewLink makes a link's token with which a person chooses the password of an account, or,
// for the empty user, makes the first administrator. It holds once, for LinkLifetime.
func (s *Service) NewLink(ctx context.Context, userID string) (string, error) {
	secret, hash := newSecret("")
	return secret, s.Store.CreateAccountLink(ctx, &models.AccountLink{Hash: hash, UserID: userID,
		ExpiresAt: models.TimeOf(s.now().Add(LinkLifetime))})
}

// LinkPath is where a link's page is, behind the server's address. What stands behind # is
// in no log and no Referer.
func LinkPath(secret string) string { return "/login#link=" + secret }

// FirstLinkPath is LinkPath of the first administrator's link, whose page also asks for a name.
func FirstLinkPath(secret string) string { return "/login#first=" + secret }

// CheckLink says whether a link can still be used. It tells nothing else about it, and holds
// nobody back who asks often: the secret is too long to be guessed.
func (s *Service) CheckLink(ctx context.Context, secret string) error {
	return invalidLink(s.Store.FindAccountLink(ctx, hashOf(secret)))
}

// invalidLink says in place of not_found what is wrong with a link.
func invalidLink(err error) error {
	if store.IsCode(err, store.CodeNotFound) {
		return &Error{Code: CodeInvalidLink, Message: "the link was used already or has expired: ask for another one"}
	}
	return err
}

// UseLink sets the password of the link's account and signs in. name is for the first
// administrator's account, which it makes.
func (s *Service) UseLink(ctx context.Context, secret, name, password string, from Client) (string, *Identity, error) {
	name, made, err := chosen(name, password)
	if err != nil {
		return "", nil, err
	}
	attempt, err := s.begin(ctx, "link", from)
	if err != nil {
		return "", nil, err
	}
	hash, err := s.derive.hash(ctx, made)
	if err != nil {
		return "", nil, err
	}
	var user *models.User
	err = s.Store.UseAccountLink(ctx, hashOf(secret), func(tx *store.AccountTx, link *models.AccountLink) error {
		if link.UserID != "" {
			user, err = tx.SetPassword(link.UserID, hash)
			return err
		}
		if name == "" {
			return invalid("username", "choose a name for the administrator's account")
		}
		user, err = tx.FirstAdmin(name, hash)
		return err
	})
	err = invalidLink(err)
	if done := s.succeeded(ctx, attempt); done != nil || err != nil {
		return "", nil, cmp.Or(err, done)
	}
	if user.DisabledAt != 0 {
		return "", nil, errWrong
	}
	s.watching.end(func(i *Identity) bool { return i.User.ID == user.ID })
	return s.open(ctx, user, from)
}

// chosen is a name, which may be left out, and a password, as they are stored and hashed.
func chosen(name, password string) (_, made string, err error) {
	if name != "" {
		if name, err = Name(name); err != nil {
			return "", "", err
		}
	}
	made, err = checkPassword(name, password)
	return name, made, err
}

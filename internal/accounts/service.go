package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Codes of *Error.
const (
	CodeWrongCredentials = "wrong_credentials"
	CodeTooManyAttempts  = "too_many_attempts"
	CodeInvalidLink      = "invalid_link"
	CodeLastAdmin        = store.CodeLastAdmin
	CodeConflict         = "conflict"
	CodeInvalid          = "invalid_arguments"
)

// Error is a refusal for a person. It never says whether an account exists.
type Error struct {
	Code       string
	Field      string // what is wrong, of CodeInvalid
	Message    string
	RetryAfter time.Duration // of CodeTooManyAttempts
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is Code.
func (e *Error) ErrorCode() string { return e.Code }

func invalid(field, message string) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: message}
}

var errWrong = &Error{Code: CodeWrongCredentials, Message: "the user name or the password is wrong"}

// How long access lasts.
const (
	LinkLifetime  = 3 * 24 * time.Hour
	seenInterval  = time.Minute // a use is noted at most this often
	tokenPrefix   = "nck_"
	secretLength  = 32
	maxTokens     = 100
	maxClientText = 300
)

// Limits are settings of config.yml.
type Limits struct {
	SessionLifetime time.Duration // from signing in
	SessionIdle     time.Duration // without a request
}

// Service is who may use the server.
type Service struct {
	Store  *store.Store
	Limits func() Limits

	watching watchers
	derive   derive // nil: argon2.IDKey
}

func (s *Service) now() time.Time { return s.Store.Now() }

// Identity is who makes a request, and by which right.
type Identity struct {
	User    *models.User
	Session *models.Session  // nil: it is a token
	Token   *models.APIToken // nil: it is a session
}

// Admin says whether the request has an administrator's rights.
func (i *Identity) Admin() bool {
	return i.User.Role == models.AccountAdmin && (i.Token == nil || i.Token.Scope == models.ScopeAdmin)
}

// MayWrite says whether the request may change anything.
func (i *Identity) MayWrite() bool {
	return i.User.Role != models.AccountViewer && (i.Token == nil || i.Token.Scope != models.ScopeRead)
}

// MayDecide says whether the request may stand for its person: decide on approvals, change
// the account. A program with a token of scope read or run may not.
func (i *Identity) MayDecide() bool { return i.Token == nil || i.Token.Scope == models.ScopeAdmin }

// newSecret returns 256 random bits as text, and their hash.
func newSecret(prefix string) (secret, hash string) {
	bytes := make([]byte, secretLength)
	if _, err := rand.Read(bytes); err != nil {
		panic(err) // crypto/rand never fails
	}
	secret = prefix + base64.RawURLEncoding.EncodeToString(bytes)
	return secret, hashOf(secret)
}

// NewSecret returns 256 random bits as text, and the hash under which they are kept.
func NewSecret() (secret, hash string) { return newSecret("") }

// HashOf is the hash under which a secret is kept.
func HashOf(secret string) string { return hashOf(secret) }

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Client is where a request comes from.
type Client struct {
	Address string
	Agent   string
}

// SignIn checks a name and a password and opens a session. Whether the name exists makes
// no difference to the answer or to the work.
func (s *Service) SignIn(ctx context.Context, name, password string, from Client) (string, *Identity, error) {
	attempt, err := s.begin(ctx, name, from)
	if err != nil {
		return "", nil, err
	}
	user, err := s.find(ctx, name)
	if err != nil {
		return "", nil, err
	}
	hash := nobody
	if user != nil {
		hash = user.PasswordHash
	}
	right, err := s.derive.verify(ctx, hash, password)
	if err != nil {
		return "", nil, err
	}
	if !right || user == nil {
		return "", nil, errWrong
	}
	if err := s.succeeded(ctx, attempt); err != nil {
		return "", nil, err
	}
	return s.open(ctx, user, from)
}

// find returns the user of that name that can sign in, or nil.
func (s *Service) find(ctx context.Context, name string) (*models.User, error) {
	name, err := Name(name)
	if err != nil {
		return nil, nil
	}
	user, err := s.Store.UserByName(ctx, name)
	switch {
	case store.IsCode(err, store.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case user.DisabledAt != 0 || user.PasswordHash == "":
		return nil, nil
	}
	return user, nil
}

// open starts a session: always a new one, so that nobody can bring one along.
func (s *Service) open(ctx context.Context, user *models.User, from Client) (string, *Identity, error) {
	secret, hash := newSecret("")
	now := s.now()
	limits := s.Limits()
	session := &models.Session{
		Hash: hash, UserID: user.ID, Address: from.Address, Client: cut(from.Agent, maxClientText),
		CreatedAt: models.TimeOf(now), LastSeenAt: models.TimeOf(now),
		ExpiresAt: models.TimeOf(now.Add(min(limits.SessionIdle, limits.SessionLifetime))),
	}
	if err := s.Store.CreateSession(ctx, session); err != nil {
		return "", nil, err
	}
	return secret, &Identity{User: user, Session: session}, nil
}

func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// BySession returns who has a session; nil: nobody.
func (s *Service) BySession(ctx context.Context, secret string) (*Identity, error) {
	i, err := s.bySessionHash(ctx, hashOf(secret))
	if i == nil || err != nil || s.now().Sub(i.Session.LastSeenAt.Std()) < seenInterval {
		return i, err
	}
	limits, now := s.Limits(), s.now()
	end := i.Session.CreatedAt.Std().Add(limits.SessionLifetime)
	if idle := now.Add(limits.SessionIdle); idle.Before(end) {
		end = idle
	}
	i.Session.LastSeenAt, i.Session.ExpiresAt = models.TimeOf(now), models.TimeOf(end)
	return i, s.Store.Seen(ctx, i.Session)
}

func (s *Service) bySessionHash(ctx context.Context, hash string) (*Identity, error) {
	session, user, err := s.Store.Session(ctx, hash)
	switch {
	case store.IsCode(err, store.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case user.DisabledAt != 0 || !session.ExpiresAt.Std().After(s.now()):
		return nil, nil
	}
	return &Identity{User: user, Session: session}, nil
}

// ByToken returns who has an API token; nil: nobody.
func (s *Service) ByToken(ctx context.Context, secret string) (*Identity, error) {
	i, err := s.byTokenHash(ctx, hashOf(secret))
	if i == nil || err != nil || s.now().Sub(i.Token.LastUsedAt.Std()) < seenInterval {
		return i, err
	}
	i.Token.LastUsedAt = models.TimeOf(s.now())
	return i, s.Store.TokenUsed(ctx, i.Token)
}

func (s *Service) byTokenHash(ctx context.Context, hash string) (*Identity, error) {
	token, user, err := s.Store.APIToken(ctx, hash)
	switch {
	case store.IsCode(err, store.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case user.DisabledAt != 0 || token.ExpiresAt != 0 && !token.ExpiresAt.Std().After(s.now()):
		return nil, nil
	}
	return &Identity{User: user, Token: token}, nil
}

// SignOut ends a session.
func (s *Service) SignOut(ctx context.Context, userID, sessionID string) error {
	err := s.Store.DeleteSession(ctx, userID, sessionID)
	s.watching.end(func(i *Identity) bool { return i.Session != nil && i.Session.ID == sessionID })
	return err
}

// ChangePassword needs the present password, and ends all other sessions.
func (s *Service) ChangePassword(ctx context.Context, i *Identity, present, next string, from Client) error {
	attempt, err := s.begin(ctx, i.User.Name, from)
	if err != nil {
		return err
	}
	right, err := s.derive.verify(ctx, i.User.PasswordHash, present)
	if err != nil {
		return err
	}
	if !right {
		return errWrong
	}
	if err := s.succeeded(ctx, attempt); err != nil {
		return err
	}
	if err := s.SetPassword(ctx, i.User.ID, next); err != nil {
		return err
	}
	except := ""
	if i.Session != nil {
		except = i.Session.ID
	}
	if err := s.Store.EndSessions(ctx, i.User.ID, except); err != nil {
		return err
	}
	s.watching.end(func(one *Identity) bool {
		return one.User.ID == i.User.ID && one.Session != nil && one.Session.ID != except
	})
	return nil
}

// SetPassword gives an account another password.
func (s *Service) SetPassword(ctx context.Context, userID, password string) error {
	user, err := s.Store.GetUser(ctx, userID)
	if err != nil {
		return err
	}
	made, err := checkPassword(user.Name, password)
	if err != nil {
		return err
	}
	hash, err := s.derive.hash(ctx, made)
	if err != nil {
		return err
	}
	_, err = s.Store.UpdateUser(ctx, userID, func(u *models.User) error {
		u.PasswordHash = hash
		return nil
	})
	return err
}

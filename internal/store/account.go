package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// CanSignIn counts the users with a role that can sign in; an empty role is any. The
// local user of single mode has no password and is none of them.
func (s *Store) CanSignIn(ctx context.Context, role string) (int64, error) {
	var n int64
	query := s.read(ctx).Model(&models.User{}).Where("password_hash <> '' AND disabled_at = 0")
	if role != "" {
		query = query.Where("role = ?", role)
	}
	if err := query.Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count the users: %w", err)
	}
	return n, nil
}

// CodeLastAdmin says that nobody could administer the server any more.
const CodeLastAdmin = "last_admin"

// keepAdmin runs change in a transaction, and refuses it with CodeLastAdmin where it would take
// the last administrator away. Those of all processes run one behind the other.
func (s *Store) keepAdmin(ctx context.Context, id string, change func(tx *gorm.DB) error) error {
	admins := func(tx *gorm.DB) *gorm.DB {
		return tx.Model(&models.User{}).Where("password_hash <> '' AND disabled_at = 0 AND role = ?", models.AccountAdmin)
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := s.dialect.serialize(tx, "administrators"); err != nil {
			return err
		}
		var was, are int64
		if err := admins(tx).Where("id = ?", id).Count(&was).Error; err != nil {
			return fmt.Errorf("count the administrators: %w", err)
		}
		if err := change(tx); err != nil || was == 0 {
			return err
		}
		if err := admins(tx).Count(&are).Error; err != nil {
			return fmt.Errorf("count the administrators: %w", err)
		}
		if are == 0 {
			return &Error{Code: CodeLastAdmin, Message: "it is the last administrator: make another one first"}
		}
		return nil
	})
}

// UpdateAccount is UpdateUser which leaves an administrator: it fails with CodeLastAdmin else.
func (s *Store) UpdateAccount(ctx context.Context, id string, change func(*models.User) error) (*models.User, error) {
	var user *models.User
	err := s.keepAdmin(ctx, id, func(tx *gorm.DB) (err error) {
		user, err = s.updateUser(tx, id, change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return user, nil
}

// EndAccess deletes the sessions, tokens and links of a user.
func (s *Store) EndAccess(ctx context.Context, userID string) error {
	return s.tx(ctx, func(tx *gorm.DB) error { return endAccess(tx, userID) })
}

func endAccess(tx *gorm.DB, userID string) error {
	for _, of := range []any{&models.Session{}, &models.APIToken{}, &models.AccountLink{}} {
		if err := tx.Delete(of, "user_id = ?", userID).Error; err != nil {
			return fmt.Errorf("end the access of user %s: %w", userID, err)
		}
	}
	return nil
}

// EndSessions deletes the sessions of a user but for one of them; empty: all.
func (s *Store) EndSessions(ctx context.Context, userID, except string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Delete(&models.Session{}, "user_id = ? AND id <> ?", userID, except).Error; err != nil {
			return fmt.Errorf("end the sessions of user %s: %w", userID, err)
		}
		return nil
	})
}

// CreateSession stores who has signed in.
func (s *Store) CreateSession(ctx context.Context, session *models.Session) error {
	session.ID = NewID()
	return s.create(ctx, "session", session)
}

// CreateAPIToken stores a token.
func (s *Store) CreateAPIToken(ctx context.Context, token *models.APIToken) error {
	token.ID, token.CreatedAt = NewID(), s.now()
	return s.create(ctx, "API token", token)
}

// CreateAccountLink stores a link.
func (s *Store) CreateAccountLink(ctx context.Context, link *models.AccountLink) error {
	return s.create(ctx, "account link", link)
}

func (s *Store) create(ctx context.Context, what string, row any) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(row).Error; err != nil {
			return fmt.Errorf("store the %s: %w", what, err)
		}
		return nil
	})
}

// Session returns the session with that hash and its user, or not_found.
func (s *Store) Session(ctx context.Context, hash string) (*models.Session, *models.User, error) {
	var session models.Session
	if err := s.read(ctx).Take(&session, "hash = ?", hash).Error; err != nil {
		return nil, nil, found(err, "session", "")
	}
	user, err := s.GetUser(ctx, session.UserID)
	return &session, user, err
}

// APIToken returns the token with that hash and its user, or not_found.
func (s *Store) APIToken(ctx context.Context, hash string) (*models.APIToken, *models.User, error) {
	var token models.APIToken
	if err := s.read(ctx).Take(&token, "hash = ?", hash).Error; err != nil {
		return nil, nil, found(err, "API token", "")
	}
	user, err := s.GetUser(ctx, token.UserID)
	return &token, user, err
}

// Seen notes when a session was last used, and until when it lasts now.
func (s *Store) Seen(ctx context.Context, session *models.Session) error {
	return s.touch(ctx, session, map[string]any{"last_seen_at": session.LastSeenAt, "expires_at": session.ExpiresAt})
}

// TokenUsed notes when a token was last used.
func (s *Store) TokenUsed(ctx context.Context, token *models.APIToken) error {
	return s.touch(ctx, token, map[string]any{"last_used_at": token.LastUsedAt})
}

func (s *Store) touch(ctx context.Context, row any, values map[string]any) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Model(row).Updates(values).Error; err != nil {
			return fmt.Errorf("note the last use: %w", err)
		}
		return nil
	})
}

// ListSessions returns the user's sessions that have not expired, newest first.
func (s *Store) ListSessions(ctx context.Context, userID string) ([]models.Session, error) {
	var list []models.Session
	err := s.read(ctx).Where("user_id = ? AND expires_at > ?", userID, s.now()).Order("id DESC").Find(&list).Error
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	return list, nil
}

// ListAPITokens returns the user's tokens, newest first.
func (s *Store) ListAPITokens(ctx context.Context, userID string) ([]models.APIToken, error) {
	var list []models.APIToken
	if err := s.read(ctx).Where("user_id = ?", userID).Order("id DESC").Find(&list).Error; err != nil {
		return nil, fmt.Errorf("list the API tokens: %w", err)
	}
	return list, nil
}

// DeleteSession ends a session of the user, or fails with not_found.
func (s *Store) DeleteSession(ctx context.Context, userID, id string) error {
	return s.deleteOwn(ctx, &models.Session{}, "session", userID, id)
}

// DeleteAPIToken ends a token of the user, or fails with not_found.
func (s *Store) DeleteAPIToken(ctx context.Context, userID, id string) error {
	return s.deleteOwn(ctx, &models.APIToken{}, "API token", userID, id)
}

func (s *Store) deleteOwn(ctx context.Context, row any, what, userID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Delete(row, "id = ? AND user_id = ?", id, userID)
		if done.Error != nil {
			return fmt.Errorf("delete the %s: %w", what, done.Error)
		}
		if done.RowsAffected == 0 {
			return found(gorm.ErrRecordNotFound, what, id)
		}
		return nil
	})
}

// FindAccountLink fails with not_found where a link was used, has expired or never was.
func (s *Store) FindAccountLink(ctx context.Context, hash string) error {
	var link models.AccountLink
	err := s.read(ctx).Take(&link, "hash = ? AND expires_at > ?", hash, s.now()).Error
	return found(err, "account link", "")
}

// UseAccountLink takes a link that has not expired out of the database and lets use act in
// the same transaction. It fails with not_found where the link was used or never was.
func (s *Store) UseAccountLink(ctx context.Context, hash string,
	use func(tx *AccountTx, link *models.AccountLink) error) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		var link models.AccountLink
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
			Take(&link, "hash = ? AND expires_at > ?", hash, s.now()).Error
		if err != nil {
			return found(err, "account link", "")
		}
		if err := tx.Delete(&link).Error; err != nil {
			return fmt.Errorf("use the account link: %w", err)
		}
		return use(&AccountTx{tx, s.now()}, &link)
	})
}

// AccountTx is a transaction that changes accounts.
type AccountTx struct {
	tx  *gorm.DB
	now models.Time
}

// SetPassword gives a user another password hash, and ends all access that there was.
func (t *AccountTx) SetPassword(userID, hash string) (*models.User, error) {
	var user models.User
	if err := t.tx.Take(&user, "id = ?", userID).Error; err != nil {
		return nil, found(err, "user", userID)
	}
	user.PasswordHash, user.UpdatedAt = hash, t.now
	if err := t.tx.Select("password_hash", "updated_at").Updates(&user).Error; err != nil {
		return nil, fmt.Errorf("store the password of user %s: %w", userID, err)
	}
	return &user, endAccess(t.tx, userID)
}

// FirstAdmin gives the user of single mode a name and a password, so that what it has made
// stays its own; conflict where an administrator can sign in, or the name is taken.
func (t *AccountTx) FirstAdmin(name, passwordHash string) (*models.User, error) {
	var admins int64
	err := t.tx.Model(&models.User{}).
		Where("role = ? AND password_hash <> '' AND disabled_at = 0", models.AccountAdmin).
		Count(&admins).
		Error
	if err != nil {
		return nil, fmt.Errorf("count the administrators: %w", err)
	}
	if admins > 0 {
		return nil, conflict("there is an administrator: ask for an account")
	}
	user := models.User{ID: models.LocalUserID}
	if err := t.tx.Take(&user).Error; err != nil {
		return nil, found(err, "user", user.ID)
	}
	user.Name, user.Role, user.PasswordHash, user.DisabledAt = name, models.AccountAdmin, passwordHash, 0
	user.UpdatedAt = t.now
	if err := t.tx.Select("*").Updates(&user).Error; err != nil {
		return nil, fmt.Errorf("store user %q: %w", name, err)
	}
	return &user, nil
}

// MakeFirstAdmin is FirstAdmin in a transaction of its own.
func (s *Store) MakeFirstAdmin(ctx context.Context, name, passwordHash string) (*models.User, error) {
	var user *models.User
	err := s.tx(ctx, func(tx *gorm.DB) (err error) {
		user, err = (&AccountTx{tx, s.now()}).FirstAdmin(name, passwordHash)
		return err
	})
	return user, err
}

// PurgeAccounts deletes sessions, links and tokens that have expired, and failed sign-ins
// older than a day. It returns how many rows.
func (s *Store) PurgeAccounts(ctx context.Context, now models.Time) (int64, error) {
	var n int64
	err := s.tx(ctx, func(tx *gorm.DB) error {
		n = 0
		dayAgo := models.TimeOf(now.Std().Add(-24 * time.Hour))
		for _, old := range []struct {
			row   any
			where string
			than  models.Time
		}{
			{&models.Session{}, "expires_at <= ?", now},
			{&models.AccountLink{}, "expires_at <= ?", now},
			{&models.SignInState{}, "expires_at <= ?", now},
			{&models.APIToken{}, "expires_at > 0 AND expires_at <= ?", dayAgo},
			{&models.ShareLink{}, "expires_at > 0 AND expires_at <= ?", now},
			{&models.SignInFailure{}, "last_at <= ?", dayAgo},
		} {
			done := tx.Delete(old.row, old.where, old.than)
			if done.Error != nil {
				return fmt.Errorf("delete expired access: %w", done.Error)
			}
			n += done.RowsAffected
		}
		return nil
	})
	return n, err
}

// ActiveRootRuns are the root runs that have not ended and are a user's, or were started by
// them in a project of another, newest first. Their ids and owners are read alone.
func (s *Store) ActiveRootRuns(ctx context.Context, userID string) ([]models.Run, error) {
	runs, err := s.activeRootRuns(ctx, "user_id = @user OR actor_id = @user", sql.Named("user", userID))
	if err != nil {
		return nil, fmt.Errorf("list the runs of user %s: %w", userID, err)
	}
	return runs, nil
}

// RunsWithoutAccess are the root runs under way that were not told to stop yet, of accounts
// that are disabled, or that were started by who is a viewer now.
func (s *Store) RunsWithoutAccess(ctx context.Context) ([]models.Run, error) {
	users := func() *gorm.DB { return s.read(ctx).Model(&models.User{}).Select("id") }
	runs, err := s.activeRootRuns(ctx, "cancel_requested_at = 0 AND (user_id IN (@disabled) OR actor_id IN (@disabled)"+
		" OR COALESCE(NULLIF(actor_id, ''), user_id) IN (@viewers))",
		sql.Named("disabled", users().Where("disabled_at <> 0")),
		sql.Named("viewers", users().Where("role = ?", models.AccountViewer)))
	if err != nil {
		return nil, fmt.Errorf("list the runs of accounts without access: %w", err)
	}
	return runs, nil
}

func (s *Store) activeRootRuns(ctx context.Context, where string, values ...any) ([]models.Run, error) {
	var runs []models.Run
	err := s.read(ctx).Select("id", "user_id").Where("parent_run_id = '' AND status IN ?",
		[]string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}).
		Where(where, values...).Order("id DESC").Find(&runs).Error
	return runs, err
}

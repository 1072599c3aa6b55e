package accounts

import (
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Create makes an account. Without a password nobody can sign in: it needs a link. The first
// administrator is given what was made in single mode.
func (s *Service) Create(ctx context.Context, name, role, password string) (*models.User, error) {
	name, err := Name(name)
	if err != nil {
		return nil, err
	}
	user := &models.User{Name: name, Role: role}
	if password != "" {
		made, err := checkPassword(name, password)
		if err != nil {
			return nil, err
		}
		if user.PasswordHash, err = s.derive.hash(ctx, made); err != nil {
			return nil, err
		}
	}
	if role == models.AccountAdmin && password != "" {
		admins, err := s.Store.CanSignIn(ctx, models.AccountAdmin)
		if err != nil {
			return nil, err
		}
		if admins == 0 {
			user, err = s.Store.MakeFirstAdmin(ctx, name, user.PasswordHash)
			return user, taken(err)
		}
	}
	return user, taken(s.Store.CreateUser(ctx, user))
}

func taken(err error) error {
	if store.IsCode(err, store.CodeConflict) {
		return &Error{Code: CodeConflict, Field: "name", Message: "there is an account with this name"}
	}
	return err
}

// Change is what an administrator changes of an account; nil leaves it.
type Change struct {
	Role     *string
	Disabled *bool
}

// Update changes an account. Its requests under way end, also with a changed role; the last
// administrator stays one.
func (s *Service) Update(ctx context.Context, id string, change Change) (*models.User, error) {
	user, err := s.Store.UpdateAccount(ctx, id, func(u *models.User) error {
		if change.Role != nil {
			u.Role = *change.Role
		}
		if change.Disabled != nil && *change.Disabled != (u.DisabledAt != 0) {
			u.DisabledAt = 0
			if *change.Disabled {
				u.DisabledAt = models.TimeOf(s.now())
			}
		}
		return nil
	})
	if err != nil {
		return nil, lastAdmin(err)
	}
	if user.DisabledAt != 0 {
		if err := s.Store.EndAccess(ctx, id); err != nil {
			return nil, err
		}
	}
	s.watching.end(func(i *Identity) bool { return i.User.ID == id })
	return user, nil
}

// Delete deletes an account that has neither projects nor conversations.
func (s *Service) Delete(ctx context.Context, id string) error {
	if err := s.Store.DeleteUser(ctx, id); err != nil {
		return lastAdmin(err)
	}
	s.watching.end(func(i *Identity) bool { return i.User.ID == id })
	return nil
}

// lastAdmin makes the store's refusal one for a person.
func lastAdmin(err error) error {
	if store.IsCode(err, store.CodeLastAdmin) {
		return &Error{Code: CodeLastAdmin, Message: err.Error()}
	}
	return err
}

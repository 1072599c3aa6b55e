package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// EnsureLocalUser returns the one user of auth_mode single, made where it is missing.
func (s *Store) EnsureLocalUser(ctx context.Context) (*models.User, error) {
	user, err := s.GetUser(ctx, models.LocalUserID)
	if !IsCode(err, CodeNotFound) {
		return user, err
	}
	now := s.now()
	made := models.User{ID: models.LocalUserID, Name: "local", Role: "admin", CreatedAt: now, UpdatedAt: now}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}},
			DoNothing: true}).Create(&made).Error
	})
	if err != nil {
		return nil, fmt.Errorf("make the local user: %w", err)
	}
	return s.GetUser(ctx, models.LocalUserID)
}

// CreateUser stores a new user; conflict where the name is taken.
func (s *Store) CreateUser(ctx context.Context, user *models.User) error {
	if user.ID == "" {
		user.ID = NewID()
	}
	user.CreatedAt = s.now()
	user.UpdatedAt = user.CreatedAt
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(user).Error; err != nil {
			return fmt.Errorf("store user %q: %w", user.Name, err)
		}
		return nil
	})
}

// GetUser returns the user, or not_found.
func (s *Store) GetUser(ctx context.Context, id string) (*models.User, error) {
	var user models.User
	if err := s.read(ctx).Take(&user, "id = ?", id).Error; err != nil {
		return nil, found(err, "user", id)
	}
	return &user, nil
}

// UserQuery selects accounts. Q is a part of the name, in lower case.
type UserQuery struct {
	Q string
	Page
}

// ListUsers returns accounts by name.
func (s *Store) ListUsers(ctx context.Context, query UserQuery) (List[models.User], error) {
	limit, err := query.limit()
	if err != nil {
		return List[models.User]{}, err
	}
	after, err := query.byName()
	if err != nil {
		return List[models.User]{}, err
	}
	db := s.read(ctx).Where("name > ?", after)
	if query.Q != "" {
		db = db.Where(`name LIKE ? ESCAPE '\'`, "%"+likeEscape(query.Q)+"%")
	}
	var users []models.User
	if err := db.Order("name").Limit(limit + 1).Find(&users).Error; err != nil {
		return List[models.User]{}, fmt.Errorf("list the users: %w", err)
	}
	return cutPage(users, limit, func(u models.User) position { return position{Name: u.Name} }), nil
}

// UpdateUser changes name, role or timezone.
func (s *Store) UpdateUser(ctx context.Context, id string, change func(*models.User) error) (*models.User, error) {
	var user *models.User
	err := s.tx(ctx, func(tx *gorm.DB) (err error) {
		user, err = s.updateUser(tx, id, change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return user, nil
}

func (s *Store) updateUser(tx *gorm.DB, id string, change func(*models.User) error) (*models.User, error) {
	var user models.User
	if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&user, "id = ?", id).Error; err != nil {
		return nil, found(err, "user", id)
	}
	before := user
	if err := change(&user); err != nil {
		return nil, err
	}
	user.ID, user.CreatedAt, user.UpdatedAt = before.ID, before.CreatedAt, s.now()
	if err := tx.Select("*").Updates(&user).Error; err != nil {
		return nil, fmt.Errorf("change user %s: %w", id, err)
	}
	return &user, nil
}

// UserByName returns the user of that exact name, or not_found.
func (s *Store) UserByName(ctx context.Context, name string) (*models.User, error) {
	var user models.User
	if err := s.read(ctx).Take(&user, "name = ?", name).Error; err != nil {
		return nil, found(err, "user", name)
	}
	return &user, nil
}

// DeleteUser deletes an account with its sessions, tokens and prompts; conflict where it has
// projects, conversations, schedules or hooks, CodeLastAdmin where it is the last
// administrator's.
func (s *Store) DeleteUser(ctx context.Context, id string) error {
	return s.keepAdmin(ctx, id, func(tx *gorm.DB) error {
		for _, owned := range []any{&models.Project{}, &models.Conversation{}, &models.Schedule{}, &models.Hook{}} {
			var n int64
			if err := tx.Model(owned).Where("user_id = ?", id).Count(&n).Error; err != nil {
				return fmt.Errorf("count what user %s has: %w", id, err)
			}
			if n > 0 {
				return &Error{Code: CodeConflict,
					Message: "the account has projects, conversations, schedules or hooks: disable it, or delete those first"}
			}
		}
		if err := tx.Delete(&models.ProjectMember{}, "user_id = ?", id).Error; err != nil {
			return fmt.Errorf("end the memberships of user %s: %w", id, err)
		}
		if err := tx.Delete(&models.Prompt{}, "user_id = ?", id).Error; err != nil {
			return fmt.Errorf("delete the prompts of user %s: %w", id, err)
		}
		if err := s.noteDeletion(tx, DeletedUser, "id = ?", id); err != nil {
			return err
		}
		done := tx.Delete(&models.User{}, "id = ?", id)
		if done.Error != nil {
			return fmt.Errorf("delete user %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return found(gorm.ErrRecordNotFound, "user", id)
		}
		return endAccess(tx, id)
	})
}

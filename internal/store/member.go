package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// Member is a user who may use a project, with their name.
type Member struct {
	models.ProjectMember
	Name string
}

// ListMembers returns the owner and the members of a project that the user may reach.
func (s *Store) ListMembers(ctx context.Context, userID, projectID string) ([]Member, error) {
	project, err := s.GetProject(ctx, userID, projectID)
	if err != nil {
		return nil, err
	}
	owner, err := s.GetUser(ctx, project.UserID)
	if err != nil {
		return nil, err
	}
	var rows []Member
	err = s.read(ctx).Model(&models.ProjectMember{}).Select("project_members.*, users.name").
		Joins("JOIN users ON users.id = project_members.user_id").
		Where("project_id = ?", projectID).Order("users.name").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list the members of project %s: %w", projectID, err)
	}
	first := Member{models.ProjectMember{ProjectID: projectID, UserID: owner.ID, Role: models.MemberOwner,
		CreatedAt: project.CreatedAt}, owner.Name}
	return append([]Member{first}, rows...), nil
}

// MemberRoles are the roles that a user has in projects of others, by the project's id.
func (s *Store) MemberRoles(ctx context.Context, userID string) (map[string]string, error) {
	var rows []models.ProjectMember
	if err := s.read(ctx).Where("user_id = ?", userID).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list the memberships of user %s: %w", userID, err)
	}
	roles := make(map[string]string, len(rows))
	for _, row := range rows {
		roles[row.ProjectID] = row.Role
	}
	return roles, nil
}

// PutMember gives a user a role in a project of ownerID's, or another one.
func (s *Store) PutMember(ctx context.Context, ownerID string, member models.ProjectMember) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		project, err := lockProject(tx, ownerID, member.ProjectID, 0)
		if err != nil {
			return err
		}
		if project.UserID == member.UserID {
			return conflict("the project is theirs already")
		}
		member.CreatedAt = s.now()
		err = fresh(tx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "project_id"}, {Name: "user_id"}},
			DoUpdates: clause.AssignmentColumns([]string{"role"})}).Create(&member).Error
		if err != nil {
			return fmt.Errorf("store a member of project %s: %w", member.ProjectID, err)
		}
		return nil
	})
}

// DeleteMember ends a user's membership; not_found where there is none. A member may end the
// own one, the owner everybody's. What the member made in the project stays with it.
func (s *Store) DeleteMember(ctx context.Context, byUserID, projectID, userID string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		if byUserID != userID {
			if _, err := lockProject(tx, byUserID, projectID, 0); err != nil {
				return err
			}
		}
		done := fresh(tx).Delete(&models.ProjectMember{}, "project_id = ? AND user_id = ?", projectID, userID)
		if done.Error != nil {
			return fmt.Errorf("delete a member of project %s: %w", projectID, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("member", userID)
		}
		return nil
	})
}

// MemberRuns are the active root runs that a user has started in a project of another.
func (s *Store) MemberRuns(ctx context.Context, projectID, userID string) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&models.Run{}).Where("actor_id = ? AND user_id <> actor_id AND parent_run_id = '' "+
		"AND status IN ? AND (project_id = ? OR conversation_id IN (SELECT id FROM conversations WHERE project_id = ?))",
		userID, []string{models.RunQueued, models.RunRunning, models.RunWaitingApproval}, projectID, projectID).
		Order("id DESC").Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("list the runs of a member of project %s: %w", projectID, err)
	}
	return ids, nil
}

// OwnersFor are the users whose projects the user may look into as a member.
func (s *Store) OwnersFor(ctx context.Context, userID string) ([]string, error) {
	var owners []string
	err := s.read(ctx).Model(&models.Project{}).Distinct("projects.user_id").
		Joins("JOIN project_members m ON m.project_id = projects.id").
		Where("m.user_id = ?", userID).Order("projects.user_id").Pluck("projects.user_id", &owners).Error
	if err != nil {
		return nil, fmt.Errorf("list whose projects user %s may look into: %w", userID, err)
	}
	return owners, nil
}

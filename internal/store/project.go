package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// CreateProject stores a new project of project.UserID. An empty ID gets one.
func (s *Store) CreateProject(ctx context.Context, project *models.Project) error {
	if project.ID == "" {
		project.ID = NewID()
	}
	project.Version = 1
	project.CreatedAt = s.now()
	project.UpdatedAt = project.CreatedAt
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(project).Error; err != nil {
			return fmt.Errorf("store project %s: %w", project.ID, err)
		}
		return nil
	})
}

// GetProject returns a project that the user may reach, or not_found.
func (s *Store) GetProject(ctx context.Context, userID, id string) (*models.Project, error) {
	return getProject(s.read(ctx), userID, id)
}

// AnyProject returns the project of any user, or not_found: for the server's own work on
// what it has already been allowed.
func (s *Store) AnyProject(ctx context.Context, id string) (*models.Project, error) {
	var project models.Project
	if err := s.read(ctx).Take(&project, "id = ?", id).Error; err != nil {
		return nil, found(err, "project", id)
	}
	return &project, nil
}

func getProject(db *gorm.DB, userID, id string) (*models.Project, error) {
	var project models.Project
	err := take(db, &project, "project", id, func(db *gorm.DB) *gorm.DB {
		return ofProjects(db.Where("id = ?", id), userID)
	})
	if err != nil {
		return nil, err
	}
	return &project, nil
}

// UpdateProject lets change edit the project and stores it with the next version.
// Where expectedVersion is neither 0 nor the stored one: precondition_failed.
func (s *Store) UpdateProject(ctx context.Context, userID, id string, expectedVersion int64,
	change func(*models.Project) error) (*models.Project, error) {
	var project *models.Project
	err := s.tx(ctx, func(tx *gorm.DB) error {
		var err error
		if project, err = lockProject(tx, userID, id, expectedVersion); err != nil {
			return err
		}
		before := *project
		if err := change(project); err != nil {
			return err
		}
		project.ID, project.UserID, project.CreatedAt = before.ID, before.UserID, before.CreatedAt
		project.Version, project.UpdatedAt = before.Version+1, s.now()
		if err := tx.Select("*").Updates(project).Error; err != nil {
			return fmt.Errorf("change project %s: %w", id, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return project, nil
}

// CountConversations says how many conversations each of the projects has. A project without
// any is left out.
func (s *Store) CountConversations(ctx context.Context, projectIDs ...string) (map[string]int64, error) {
	counts := make(map[string]int64, len(projectIDs))
	err := inBatches(projectIDs, func(ids []string) error {
		var rows []struct {
			ProjectID string
			N         int64
		}
		err := s.read(ctx).Model(&models.Conversation{}).Select("project_id, COUNT(*) AS n").
			Where("project_id IN ?", ids).Group("project_id").Scan(&rows).Error
		for _, row := range rows {
			counts[row.ProjectID] = row.N
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count the conversations of projects: %w", err)
	}
	return counts, nil
}

// ConversationsIn are the ids and the owners of all conversations in a project.
func (s *Store) ConversationsIn(ctx context.Context, projectID string) ([]models.Conversation, error) {
	var list []models.Conversation
	err := s.read(ctx).Select("id", "user_id").Where("project_id = ?", projectID).Order("id").Find(&list).Error
	if err != nil {
		return nil, fmt.Errorf("list the conversations of project %s: %w", projectID, err)
	}
	return list, nil
}

// DeleteProject deletes the project's row and its conversations with all that
// belongs to them. Its files are the caller's to remove.
func (s *Store) DeleteProject(ctx context.Context, userID, id string, expectedVersion int64) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		project, err := lockProject(tx, userID, id, expectedVersion)
		if err != nil {
			return err
		}
		if err := s.deleteConversations(tx, "project_id = ?", id); err != nil {
			return err
		}
		if err := s.noteDeletion(tx, DeletedProject, "id = ?", id); err != nil {
			return err
		}
		if err := tx.Delete(project).Error; err != nil {
			return fmt.Errorf("delete project %s: %w", id, err)
		}
		return nil
	})
}

func lockProject(tx *gorm.DB, userID, id string, expectedVersion int64) (*models.Project, error) {
	project, err := getProject(tx.Clauses(clause.Locking{Strength: "UPDATE"}), userID, id)
	if err != nil {
		return nil, err
	}
	return project, checkVersion("project", id, expectedVersion, project.Version)
}

// ProjectQuery selects projects. Q is a part of the name, in any case of ASCII letters.
type ProjectQuery struct {
	Q string
	Page
}

// ListProjects returns the projects that the user may reach, last changed first.
func (s *Store) ListProjects(ctx context.Context, userID string, query ProjectQuery) (List[models.Project], error) {
	db := ofProjects(s.read(ctx), userID)
	if query.Q != "" {
		db = db.Where(`LOWER(name) LIKE ? ESCAPE '\'`, "%"+likeEscape(strings.ToLower(query.Q))+"%")
	}
	list, err := lastChanged(db, query.Page, func(p models.Project) position {
		return position{At: int64(p.UpdatedAt), ID: p.ID}
	})
	if err != nil {
		return list, fmt.Errorf("list projects: %w", err)
	}
	return list, nil
}

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace

package store

import (
	"context"
	"fmt"
	"math"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// ConversationQuery selects conversations. ProjectID empty: of all projects and of
// none. Q empty: all, else those whose title or messages match as in Search; where
// more than 10,000 titles and messages do, the last written of them count. Archived: those alone
// that are archived, else those alone that are not; a search finds both. Tag: those that have it, in upper or lower case.
type ConversationQuery struct {
	ProjectID string
	Q         string
	Archived  bool
	Tag       string
	Page
}

// ListConversations returns the conversations that the user may reach, last changed first.
func (s *Store) ListConversations(ctx context.Context, userID string,
	query ConversationQuery) (List[models.Conversation], error) {
	db := ofConversations(s.read(ctx), userID).Where("NOT hidden")
	if query.ProjectID != "" {
		db = db.Where("project_id = ?", query.ProjectID)
	}
	if query.Tag != "" {
		db = tagged(db, query.Tag)
	}
	if query.Q == "" {
		db = db.Where("archived = ?", query.Archived)
	} else {
		terms, err := s.searchTerms(ctx, userID, query.Q)
		if err != nil || len(terms.terms) == 0 {
			return List[models.Conversation]{}, err
		}
		db = db.Where("id IN (?)", s.having(s.read(ctx), terms))
	}
	list, err := lastChanged(db, query.Page, func(c models.Conversation) position {
		return position{At: int64(c.UpdatedAt), ID: c.ID}
	})
	if err != nil {
		return list, fmt.Errorf("list conversations: %w", err)
	}
	return list, nil
}

// maxFilterDocuments bounds the work for a query that finds nearly everything.
const maxFilterDocuments = 10_000

// having selects the ids of the conversations with a document that matches.
func (s *Store) having(db *gorm.DB, terms searchTerms) *gorm.DB {
	return db.Model(&searchDocument{}).Select("conversation_id").
		Where("id IN (?)", s.dialect.matching(db, terms, math.MaxInt64, maxFilterDocuments))
}

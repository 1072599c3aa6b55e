package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// SearchQuery is what to look for. ProjectID narrows it to a project, of whose
// titles and messages those among the last written 10,000 that match count; empty:
// everywhere.
type SearchQuery struct {
	Text      string
	ProjectID string
	Page
}

// SearchHit is a conversation's title or message that has all words of the query.
type SearchHit struct {
	ConversationID string
	ProjectID      string
	Title          string // of the conversation
	MessageID      string // empty: the title itself matches
	Role           string // of the message
	Snippet        string // one line around the first match
	At             models.Time
}

// Search finds titles and messages of conversations that the user may reach, which have all
// words of the query, last written first. Words match from their beginning, in any case; Chinese,
// Japanese, Korean and Thai text matches by any part of it. A query without
// letters, digits or symbols finds nothing.
func (s *Store) Search(ctx context.Context, userID string, query SearchQuery) (List[SearchHit], error) {
	limit, err := query.limit()
	if err != nil {
		return List[SearchHit]{}, err
	}
	before, err := query.byNumber()
	if err != nil {
		return List[SearchHit]{}, err
	}
	terms, err := s.searchTerms(ctx, userID, query.Text)
	if err != nil || len(terms.terms) == 0 {
		return List[SearchHit]{}, err
	}
	candidates := limit + 1
	if query.ProjectID != "" {
		candidates = maxFilterDocuments
	}
	rows, err := s.searchRows(ctx, userID, query.ProjectID, s.dialect.matching(s.read(ctx), terms, before, candidates),
		limit+1)
	if err != nil {
		return List[SearchHit]{}, err
	}
	page := cutPage(rows, limit, func(r searchRow) position { return position{No: r.ID} })
	hits := List[SearchHit]{Next: page.Next, Items: make([]SearchHit, len(page.Items))}
	for i, row := range page.Items {
		hits.Items[i] = row.hit(terms)
	}
	return hits, nil
}

type searchRow struct {
	ID int64
	SearchHit
	Text string
}

// searchRows reads documents with their conversations and messages, greatest id first.
func (s *Store) searchRows(ctx context.Context, userID, projectID string, documents *gorm.DB,
	limit int) ([]searchRow, error) {
	query := ofConversationsAs(s.read(ctx), "c", userID).Table("search_documents AS d").
		Select("d.id, d.conversation_id, d.message_id, c.project_id, c.title, m.role, m.text, COALESCE(m.created_at, "+
			"c.created_at) AS at").
		Joins("JOIN conversations c ON c.id = d.conversation_id").
		Joins("LEFT JOIN messages m ON m.id = d.message_id").
		Where("d.id IN (?) AND NOT c.hidden", documents).
		Order("d.id DESC").Limit(limit)
	if projectID != "" {
		query = query.Where("c.project_id = ?", projectID)
	}
	var rows []searchRow
	if err := query.Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return rows, nil
}

func (r searchRow) hit(q searchTerms) SearchHit {
	text := r.Text
	if r.MessageID == "" {
		text = r.Title
	}
	r.Snippet = snippet(text, q)
	return r.SearchHit
}

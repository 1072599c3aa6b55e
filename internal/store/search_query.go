package store

import (
	"context"
	"strings"

	"gorm.io/gorm"
)

// maxSearchTerms is how many terms of a query count; what follows is ignored.
const maxSearchTerms = 32

// maxTermRunes is how long a row of characters without spaces may be in a query.
const maxTermRunes = 64

// searchTerms is a query: a document matches when it has all terms.
type searchTerms struct {
	owners []string // of the documents
	member string   // whose reach counts where there are several owners
	terms  []searchTerm
}

// searchTerms reads a query of a user, who also finds what others share with them.
func (s *Store) searchTerms(ctx context.Context, userID, query string) (searchTerms, error) {
	terms := parseSearch(userID, query)
	if !membersReach(s.read(ctx)) {
		return terms, nil
	}
	others, err := s.OwnersFor(ctx, userID)
	terms.owners = append(terms.owners, others...)
	return terms, err
}

// within restricts documents to the conversations that the member may reach. Those of other
// owners must not take the places of a page.
func (q searchTerms) within(documents *gorm.DB, id string) *gorm.DB {
	if len(q.owners) == 1 {
		return documents
	}
	reach := ofConversationsAs(fresh(documents), "wc", q.member).Table("search_documents AS wd").Select("1").
		Joins("JOIN conversations wc ON wc.id = wd.conversation_id").Where("wd.id = " + id)
	return documents.Where("EXISTS (?)", reach)
}

// ownersIn is the owners' terms in a query language: one of them has to be in a document.
func (q searchTerms) ownersIn(quote, or string) string {
	terms := make([]string, len(q.owners))
	for i, owner := range q.owners {
		terms[i] = quote + ownerTerm(owner) + quote
	}
	return "(" + strings.Join(terms, or) + ")"
}

// searchTerm is found where a word begins with text, or, where it is unspaced,
// where text is any part of a row of characters.
type searchTerm struct {
	text     string
	unspaced bool
}

// parseSearch reads what a person typed. Signs that are no words are ignored, so
// every text is a valid query; without any word it matches nothing.
func parseSearch(userID, query string) searchTerms {
	q := searchTerms{owners: []string{userID}, member: userID}
	seen := map[searchTerm]bool{}
	eachRun(query, func(r textRun) bool {
		term := searchTerm{text: r.folded, unspaced: r.unspaced}
		if r.unspaced {
			term.text = firstRunes(r.folded, maxTermRunes)
		}
		if !seen[term] {
			seen[term] = true
			q.terms = append(q.terms, term)
		}
		return len(q.terms) < maxSearchTerms
	})
	return q
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

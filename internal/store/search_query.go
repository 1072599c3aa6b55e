package store

// maxSearchTerms is how many terms of a query count; what follows is ignored.
const maxSearchTerms = 32

// maxTermRunes is how long a row of characters without spaces may be in a query.
const maxTermRunes = 64

// searchTerms is a query: a document of the user matches when it has all terms.
type searchTerms struct {
	userID string
	terms  []searchTerm
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
	q := searchTerms{userID: userID}
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

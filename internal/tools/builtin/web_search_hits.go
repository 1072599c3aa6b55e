package builtin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

const (
	maxHitTitle   = 300 // bytes
	maxHitSnippet = 600
	maxHitURL     = 2000
)

// cleanHits makes of a provider's hits what a model can use: plain text, web
// addresses, each once, at most count.
func cleanHits(hits []searchHit, count int) []searchHit {
	clean, seen := []searchHit{}, map[string]bool{}
	for _, hit := range hits {
		address := strings.TrimSpace(hit.URL)
		u, err := url.Parse(address)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || len(address) > maxHitURL ||
			seen[address] {
			continue
		}
		seen[address] = true
		hit = searchHit{Title: hitText(hit.Title, maxHitTitle), URL: address, Snippet: hitText(hit.Snippet,
			maxHitSnippet)}
		hit.Title = firstOf(hit.Title, u.Host)
		if clean = append(clean, hit); len(clean) == count {
			break
		}
	}
	return clean
}

// hitText is a text without tags, entities and line breaks.
func hitText(text string, limit int) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return cutAtRune(oneLine(strings.ToValidUTF8(out.String(), "\uFFFD")), limit)
		}
		if kind == html.TextToken {
			out.WriteString(tokens.Token().Data)
		}
	}
}

// searchStatus is the failure of a provider by its status and what it says about it.
func searchStatus(status int, detail string) error {
	what := http.StatusText(status)
	switch status {
	case http.StatusTooManyRequests:
		what = "too many requests"
	case http.StatusUnauthorized, http.StatusForbidden:
		what = "access refused; the key in web_search.providers may be wrong"
	}
	said := fmt.Sprintf("answered %d", status)
	if what != "" {
		said += " (" + what + ")"
	}
	if detail = cutAtRune(oneLine(detail), 200); detail != "" {
		said += ": " + detail
	}
	return errors.New(said)
}

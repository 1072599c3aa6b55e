package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// searxng is a meta search engine that people host themselves. Its JSON format
// must be enabled in its settings (search.formats).
// https://docs.searxng.org/dev/search_api.html
var searxng = searchProvider{
	path: "/search",
	request: func(ctx context.Context, address *url.URL, key, query string, _ int) (*http.Request, error) {
		address.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "application/json")
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key) // for an instance behind a proxy that wants it
		}
		return req, nil
	},
	read: readSearxng,
}

func readSearxng(_ context.Context, status int, body []byte) ([]searchHit, error) {
	switch {
	case status == http.StatusForbidden:
		return nil, fmt.Errorf("answered 403: the format json is perhaps not enabled in the instance's settings " +
			"(search.formats)")
	case status != http.StatusOK:
		return nil, searchStatus(status, "")
	}
	var answer struct {
		Results *[]struct{ Title, URL, Content string }
		Silent  [][]any `json:"unresponsive_engines"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Results == nil {
		return nil, fmt.Errorf("its answer is not understood")
	}
	if len(*answer.Results) == 0 && len(answer.Silent) > 0 {
		var engines []string
		for _, engine := range answer.Silent {
			engines = append(engines, strings.TrimSpace(fmt.Sprintln(engine...)))
		}
		return nil, fmt.Errorf("none of its engines answered (%s)", cutAtRune(strings.Join(engines, ", "), 200))
	}
	var hits []searchHit
	for _, result := range *answer.Results {
		hits = append(hits, searchHit{Title: result.Title, URL: result.URL, Snippet: result.Content})
	}
	return hits, nil
}

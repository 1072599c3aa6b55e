package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// brave is the Brave Search API.
// https://api-dashboard.search.brave.com/app/documentation/web-search
var brave = searchProvider{
	home: "https://api.search.brave.com",
	path: "/res/v1/web/search",
	request: func(ctx context.Context, address *url.URL, key, query string, count int) (*http.Request, error) {
		address.RawQuery = url.Values{"q": {query}, "count": {strconv.Itoa(count)}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "application/json")
		req.Header.Set("X-Subscription-Token", key)
		return req, nil
	},
	read: readBrave,
}

func readBrave(_ context.Context, status int, body []byte) ([]searchHit, error) {
	var answer struct {
		Type string
		Web  *struct {
			Results []struct{ Title, URL, Description string }
		}
		Error struct{ Code, Detail string }
	}
	err := json.Unmarshal(body, &answer)
	switch {
	case status != http.StatusOK:
		return nil, searchStatus(status, firstOf(answer.Error.Detail, answer.Error.Code))
	case err != nil || answer.Type != "search":
		return nil, fmt.Errorf("its answer is not understood")
	case answer.Web == nil: // nothing was found
		return nil, nil
	}
	var hits []searchHit
	for _, result := range answer.Web.Results {
		hits = append(hits, searchHit{Title: result.Title, URL: result.URL, Snippet: result.Description})
	}
	return hits, nil
}

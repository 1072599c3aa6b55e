package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// tavily is a search API made for agents.
// https://docs.tavily.com/documentation/api-reference/endpoint/search
var tavily = searchProvider{
	home: "https://api.tavily.com",
	path: "/search",
	request: func(ctx context.Context, address *url.URL, key, query string, count int) (*http.Request, error) {
		body, err := json.Marshal(map[string]any{"query": query, "max_results": count, "search_depth": "basic"})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+key)
		return req, nil
	},
	read: readTavily,
}

func readTavily(_ context.Context, status int, body []byte) ([]searchHit, error) {
	if status != http.StatusOK {
		return nil, searchStatus(status, tavilyDetail(body))
	}
	var answer struct {
		Results *[]struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Results == nil {
		return nil, fmt.Errorf("its answer is not understood")
	}
	var hits []searchHit
	for _, result := range *answer.Results {
		hits = append(hits, searchHit{Title: result.Title, URL: result.URL, Snippet: result.Content})
	}
	return hits, nil
}

// tavilyDetail reads {"detail": {"error": "…"}}, where detail may also be a
// text, or a list of what is wrong with the request.
func tavilyDetail(body []byte) string {
	var answer struct{ Detail json.RawMessage }
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	var named struct{ Error string }
	if json.Unmarshal(answer.Detail, &named) == nil {
		return named.Error
	}
	var text string
	if json.Unmarshal(answer.Detail, &text) == nil {
		return text
	}
	var list []struct{ Msg string }
	if json.Unmarshal(answer.Detail, &list) == nil && len(list) > 0 {
		return list[0].Msg
	}
	return ""
}

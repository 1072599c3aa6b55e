package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

//go:embed web_search.md
var webSearchDoc string

func init() {
	tools.Register(tools.Define("web_search", webSearchDoc, webSearch,
		tools.Category("crawler"), tools.Effect(tools.External), tools.Timeout(-1)))
}

type webSearchArgs struct {
	Query      string `json:"query" jsonschema:"a few words in the language of the wanted pages; 'exact phrase' and site:example.com work with most engines" minLength:"1" maxLength:"1000"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"how many results" minimum:"1" maximum:"20" default:"5"`
}

type webSearchResult struct {
	Results  []searchHit `json:"results"`
	Provider string      `json:"provider"`         // who answered
	Failed   []string    `json:"failed,omitempty"` // who was asked before, and why that failed
}

type searchHit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// searchTimeout is the time of one provider, where fetch.timeout is not shorter.
const searchTimeout = 15 * time.Second

// searchBody is the greatest answer of a provider that is read, bytes.
const searchBody = 4 << 20

// searchProvider is one kind of provider. Its two halves are apart, so that what
// it reads can be tested without a network.
type searchProvider struct {
	home    string // address where the configuration names none; empty: it must
	path    string // of the search, below the address
	request func(ctx context.Context, address *url.URL, key, query string, count int) (*http.Request, error)
	// read understands the answer, an error status too. No hits is no error.
	read func(ctx context.Context, status int, body []byte) ([]searchHit, error)
}

var searchProviders = map[string]searchProvider{
	"searxng":    searxng,
	"brave":      brave,
	"tavily":     tavily,
	"duckduckgo": duckduckgo,
}

// webSearch asks the configured providers in their order until one answers.
func webSearch(ctx context.Context, call tools.Call, args webSearchArgs) (webSearchResult, error) {
	web, err := webSettings(call)
	if err != nil {
		return webSearchResult{}, err
	}
	query := strings.TrimSpace(args.Query)
	if query == "" {
		return webSearchResult{}, tools.Errorf(tools.CodeInvalidArguments,
			"the query is blank: say a few words in the language of the wanted pages; 'exact phrase' and "+
				"site:example.com work with most engines")
	}
	configured := web.Search()
	if len(configured) == 0 {
		return webSearchResult{}, tools.Errorf(tools.CodeUnavailable,
			"no search provider is configured: the person who runs this server can list some in web_search.providers")
	}
	var failed []string
	for _, provider := range configured {
		call.Progress("asking "+provider.Type, -1)
		hits, err := askProvider(ctx, web.Fetch(), provider, query, args.MaxResults)
		if err == nil {
			return webSearchResult{Results: cleanHits(hits, args.MaxResults), Provider: provider.Type, Failed: failed},
				nil
		}
		if ctx.Err() != nil {
			return webSearchResult{}, fmt.Errorf("search the web: %w", ctx.Err())
		}
		failed = append(failed, fmt.Sprintf("%s: %v", provider.Type, err))
	}
	return webSearchResult{}, tools.Errorf(tools.CodeUnavailable,
		"no search provider answered (%s): try again later, or fetch a page whose address you know",
		strings.Join(failed, "; "))
}

func askProvider(ctx context.Context, settings tools.FetchSettings, configured tools.SearchProvider, query string,
	count int) ([]searchHit, error) {
	provider, known := searchProviders[configured.Type]
	if !known {
		return nil, fmt.Errorf("there is no such kind of provider")
	}
	base := firstOf(configured.BaseURL, provider.home)
	address, err := endpoint(base, provider.path)
	if err != nil {
		return nil, err
	}
	req, err := provider.request(ctx, address, configured.APIKey, query, count)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if settings.Timeout <= 0 || settings.Timeout > searchTimeout {
		settings.Timeout = searchTimeout
	}
	settings.MaxBytes = searchBody
	answer, err := newWebClient(settings, base).do(ctx, req, nil)
	if err != nil {
		return nil, err
	}
	return provider.read(ctx, answer.Status, answer.Body)
}

// endpoint is the path below a base address. What both have in common is not
// repeated: https://x/res/v1 and /res/v1/web make https://x/res/v1/web.
func endpoint(base, path string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("its base_url is missing or no address")
	}
	own := strings.TrimSuffix(u.Path, "/")
	rest := path
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if head := strings.TrimSuffix(path[:end], "/"); head != "" && strings.HasSuffix(own, head) {
			rest = path[len(head):]
			break
		}
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = own+rest, "", "", ""
	return u, nil
}

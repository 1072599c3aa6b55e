package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/tools"
)

//go:embed web_crawl_batch.md
var crawlBatchDoc string

func init() {
	tools.Register(tools.Define("crawl_batch", crawlBatchDoc, crawlBatch,
		tools.Category("crawler"), tools.Effect(tools.External), tools.Timeout(-1), tools.ReadOn(webReadOn),
		tools.Preflight(func(_ context.Context, call tools.Call, args crawlBatchArgs) error {
			return webPreflight(call, args.URLs...)
		})))
}

// crawlWorkers is how many pages of one call are fetched at once.
const crawlWorkers = 5

type crawlBatchArgs struct {
	URLs        []string `json:"urls" jsonschema:"addresses of the pages" minItems:"1" maxItems:"10"`
	ExtractType string   `json:"extract_type,omitempty" jsonschema:"as in fetch_page" enum:"text,markdown,links,structured" default:"text"`
}

type crawlBatchResult struct {
	Results   []crawledPage `json:"results"` // in the order of the addresses
	Total     int           `json:"total"`
	Succeeded int           `json:"succeeded"`
}

type crawledPage struct {
	RequestedURL string `json:"requested_url"`
	Success      bool   `json:"success"`
	Error        string `json:"error,omitempty"`
	Code         string `json:"code,omitempty"`
	*webPage
}

func crawlBatch(ctx context.Context, call tools.Call, args crawlBatchArgs) (crawlBatchResult, error) {
	web, err := webSettings(call)
	if err != nil {
		return crawlBatchResult{}, err
	}
	client := newWebClient(web.Fetch())
	result := crawlBatchResult{Results: make([]crawledPage, len(args.URLs)), Total: len(args.URLs)}
	var done atomic.Int64
	group := errgroup.Group{}
	group.SetLimit(crawlWorkers)
	for i, address := range args.URLs {
		group.Go(func() error {
			result.Results[i] = client.crawl(ctx, address, args.ExtractType)
			finished := done.Add(1)
			call.Progress(fmt.Sprintf("%d of %d pages", finished, len(args.URLs)),
				float64(finished)/float64(len(args.URLs)))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return crawlBatchResult{}, fmt.Errorf("fetch the pages: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return crawlBatchResult{}, fmt.Errorf("fetch the pages: %w", err)
	}
	for _, page := range result.Results {
		if page.Success {
			result.Succeeded++
		}
	}
	if result.Succeeded == 0 {
		return result, &tools.Error{Code: tools.CodeUnavailable,
			Message: "none of the pages could be fetched: the results say why", Data: result}
	}
	return result, nil
}

// crawl is page with its failure, or its panic, as part of the result.
func (c *webClient) crawl(ctx context.Context, address, extractType string) (crawled crawledPage) {
	defer func() {
		if p := recover(); p != nil {
			crawled = crawledPage{RequestedURL: address, Error: fmt.Sprintf("the page could not be read: %v", p),
				Code: tools.CodeInternal}
		}
	}()
	page, err := c.page(ctx, address, extractType)
	if err != nil {
		return crawledPage{RequestedURL: address, Error: err.Error(), Code: tools.CodeOf(err)}
	}
	return crawledPage{RequestedURL: address, Success: true, webPage: page}
}

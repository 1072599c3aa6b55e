package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
)

//go:embed web_fetch_page.md
var fetchPageDoc string

func init() {
	tools.Register(tools.Define("fetch_page", fetchPageDoc, fetchPage,
		tools.Category("crawler"), tools.Effect(tools.External), tools.Timeout(-1), tools.ReadOn(webReadOn),
		tools.Preflight(func(_ context.Context, call tools.Call, args fetchPageArgs) error {
			return webPreflight(call, args.URL)
		})))
}

const webReadOn = "fetch a more specific page, or its links"

type fetchPageArgs struct {
	URL         string `json:"url" jsonschema:"address of the page" minLength:"1"`
	ExtractType string `json:"extract_type,omitempty" jsonschema:"markdown keeps headings, lists, tables and links; links: up to 50 addresses; structured: metadata, text, links, OpenGraph, JSON-LD" enum:"text,markdown,links,structured" default:"text"`
}

func fetchPage(ctx context.Context, call tools.Call, args fetchPageArgs) (*webPage, error) {
	web, err := webSettings(call)
	if err != nil {
		return nil, err
	}
	return newWebClient(web.Fetch()).page(ctx, args.URL, args.ExtractType)
}

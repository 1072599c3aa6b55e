package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/netsafe"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed browser_use.md
var browserUseDoc string

func init() {
	tools.Register(tools.Define("browser_use", browserUseDoc, browserUse,
		tools.Category("crawler"), tools.Effect(tools.Writes), tools.ReadOn("snapshot a part of the page, by its ref"),
		tools.Preflight(browserPreflight),
		tools.Tailor(func(ctx context.Context, call tools.Call, _ *tools.Shape) bool {
			browser, err := services.Get(call.Services, tools.BrowserKey)
			return err == nil && browser.Unavailable(ctx) == ""
		})))
}

type browserUseArgs struct {
	Op        string   `json:"op" jsonschema:"what to do" enum:"open,snapshot,click,type,select,scroll,wait,back,tabs,screenshot,download,upload"`
	URL       string   `json:"url,omitempty" jsonschema:"address"`
	Ref       string   `json:"ref,omitempty" jsonschema:"element; for snapshot: the part to show"`
	Text      string   `json:"text,omitempty" jsonschema:"replaces what is in the field; or to wait for"`
	Submit    bool     `json:"submit,omitempty" jsonschema:"press Enter behind the text"`
	Sensitive bool     `json:"sensitive,omitempty" jsonschema:"the text is a password or the like: a person is asked"`
	Key       string   `json:"key,omitempty" jsonschema:"press this instead of a text" enum:"Enter,Tab,Escape,Backspace,Delete,ArrowUp,ArrowDown,ArrowLeft,ArrowRight,PageUp,PageDown,Home,End,Space"`
	Values    []string `json:"values,omitempty" jsonschema:"labels of options to select"`
	Direction string   `json:"direction,omitempty" jsonschema:"to scroll" enum:"up,down"`
	Seconds   int      `json:"seconds,omitempty" jsonschema:"to wait" minimum:"1" maximum:"30"`
	Tab       string   `json:"tab,omitempty" jsonschema:"id of a tab; new: open in a new one"`
	Close     bool     `json:"close,omitempty" jsonschema:"close the tab"`
	FullPage  bool     `json:"full_page,omitempty" jsonschema:"screenshot of all of the page"`
	Accept    bool     `json:"accept,omitempty" jsonschema:"say OK in dialogs"`
	Reply     string   `json:"reply,omitempty" jsonschema:"answer to a dialog that asks for a text"`
	Path      string   `json:"path,omitempty" access:"write" jsonschema:"file of the project to download to"`
	Files     []string `json:"files,omitempty" access:"read" maxItems:"20" jsonschema:"files of the project to upload"`

	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

// browserUseResult is the page after the operation.
type browserUseResult struct {
	URL        string             `json:"url,omitempty"`
	Title      string             `json:"title,omitempty"`
	Tab        string             `json:"tab,omitempty"`
	Tabs       []tools.BrowserTab `json:"tabs,omitempty"`
	Notes      []string           `json:"notes,omitempty"`
	Snapshot   string             `json:"snapshot,omitempty"`
	Cut        string             `json:"cut,omitempty"`
	Screenshot string             `json:"screenshot,omitempty"` // what became of it
	Saved      *tools.Attachment  `json:"saved,omitempty"`

	images []tools.Image
}

// Images implements tools.Illustrated.
func (r browserUseResult) Images() []tools.Image { return r.images }

// NotCacheable keeps a page that somebody worked on out of the cache.
func (r browserUseResult) NotCacheable() bool { return true }

// browserPreflight refuses addresses that no approval can allow.
func browserPreflight(_ context.Context, call tools.Call, args browserUseArgs) error {
	if args.URL == "" {
		return nil
	}
	web, err := webSettings(call)
	if err != nil {
		return err
	}
	fetch := web.Fetch()
	policy := netsafe.Policy{AllowPrivate: fetch.AllowPrivate, AllowedHosts: fetch.AllowedHosts}
	return policy.CheckURL(args.URL)
}

func browserUse(ctx context.Context, call tools.Call, args browserUseArgs) (browserUseResult, error) {
	browser, err := services.Get(call.Services, tools.BrowserKey)
	if err != nil {
		return browserUseResult{}, err
	}
	done, err := browser.Do(ctx, call, tools.BrowserAction{
		Op: args.Op, URL: args.URL, Ref: args.Ref, Text: args.Text, Submit: args.Submit, Sensitive: args.Sensitive,
		Key: args.Key, Values: args.Values, Direction: args.Direction, Seconds: args.Seconds, Tab: args.Tab,
		Close: args.Close, FullPage: args.FullPage, Accept: args.Accept, Reply: args.Reply, Path: args.Path,
		Files: args.Files,
	})
	if err != nil {
		return browserUseResult{}, err
	}
	result := browserUseResult{URL: done.URL, Title: done.Title, Tab: done.Tab, Tabs: done.Tabs, Notes: done.Notes,
		Snapshot: done.Snapshot, Saved: done.Saved}
	if done.Cut {
		result.Cut = "the page goes on: snapshot a part of it by its ref"
	}
	if len(done.Screenshot) > 0 {
		result.images, result.Screenshot = keepImage(ctx, call, done.Screenshot)
	}
	return result, nil
}

// keepImage keeps the one image of a result. What became of it is said in words.
func keepImage(ctx context.Context, call tools.Call, data []byte) ([]tools.Image, string) {
	store, err := services.Get(call.Services, tools.ImageStoreKey)
	if err != nil {
		return nil, "the image cannot be shown here"
	}
	kept := store.KeepImages(ctx, call, [][]byte{data})
	if len(kept) != 1 || kept[0].Omitted != "" {
		return nil, "the image is not shown: " + kept[0].Omitted
	}
	return []tools.Image{kept[0].Image}, "image 1 of this result"
}

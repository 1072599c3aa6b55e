package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// BrowserKey finds the browser of browser_use.
var BrowserKey = services.NewKey[Browser]("browser")

// Browser is a web browser with an isolated context for each conversation.
type Browser interface {
	// Unavailable says why there is no browser on this machine and with this
	// configuration; empty: there is one.
	Unavailable(ctx context.Context) string

	// Do performs one operation in the context of the call's conversation. Errors
	// have codes: blocked, invalid_arguments, timeout, unavailable, not_found.
	Do(ctx context.Context, call Call, action BrowserAction) (BrowserResult, error)
}

// BrowserAction is one operation. Op is one of open, snapshot, click, type, select,
// scroll, wait, back, tabs, screenshot, download and upload; of the rest each
// operation takes what it needs.
type BrowserAction struct {
	Op        string
	URL       string
	Ref       string // element of a snapshot, such as e12; of type none: the focused one
	Text      string // to type, to wait for
	Values    []string
	Submit    bool   // press Enter behind the text
	Sensitive bool   // the text may go into a password field
	Key       string // to press instead of a text
	Direction string // up | down
	Seconds   int    // to wait
	Tab       string
	Close     bool // the tab
	FullPage  bool
	Accept    bool // dialogs that ask for a confirmation or a text
	Reply     string
	Path      string   // in the project, where a download is kept
	Files     []string // in the project, to upload
}

// BrowserResult is the page after an operation.
type BrowserResult struct {
	URL        string
	Title      string
	Tab        string       // id of the current tab
	Tabs       []BrowserTab // all of them, where there is more than one, or it was asked for
	Snapshot   string       // accessibility tree as text; empty: it was not asked for
	Cut        bool         // the snapshot is not the whole page
	Notes      []string     // what happened beside: dialogs, new tabs, refused downloads
	Screenshot []byte       // PNG or JPEG
	Saved      *Attachment  // a download
}

// BrowserTab is one tab.
type BrowserTab struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

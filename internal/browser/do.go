package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"nanoclaw/internal/tools"
)

// operation is one call at work on a session.
type operation struct {
	service  *Service
	session  *session
	settings Settings
	call     tools.Call
	action   tools.BrowserAction
	tab      *tab
	result   tools.BrowserResult
	began    time.Time
}

// operations are what can be done. Those of pages need one; describe says that the
// result is the page as it is then.
var operations = map[string]struct {
	run            func(o *operation, ctx context.Context) error
	page, describe bool
}{
	"open":       {(*operation).open, false, true},
	"snapshot":   {(*operation).nothing, true, true},
	"click":      {(*operation).click, true, true},
	"type":       {(*operation).typeText, true, true},
	"select":     {(*operation).choose, true, true},
	"scroll":     {(*operation).scroll, true, true},
	"wait":       {(*operation).wait, true, true},
	"back":       {(*operation).back, true, true},
	"tabs":       {(*operation).tabs, false, false},
	"screenshot": {(*operation).screenshot, true, false},
	"download":   {(*operation).download, true, false},
	"upload":     {(*operation).upload, true, true},
}

// Do implements tools.Browser.
func (s *Service) Do(ctx context.Context, call tools.Call, action tools.BrowserAction) (tools.BrowserResult, error) {
	what, known := operations[action.Op]
	if !known {
		return tools.BrowserResult{}, tools.Errorf(tools.CodeInvalidArguments, "there is no op %q", action.Op)
	}
	if action.URL != "" {
		policy := s.Settings().Network
		if err := policy.CheckURL(action.URL); err != nil {
			return tools.BrowserResult{}, err
		}
	}
	c, err := s.session(ctx, call.ConversationID)
	if err != nil {
		return tools.BrowserResult{}, err
	}
	if err := c.begin(ctx); err != nil {
		return tools.BrowserResult{}, err
	}
	defer c.end()
	o := &operation{service: s, session: c, settings: s.Settings(), call: call, action: action, began: time.Now()}
	if what.page {
		if o.tab, err = c.tab(call.AgentPath, action.Tab); err != nil {
			return tools.BrowserResult{}, err
		}
		o.tab.change(func() { o.tab.answer = dialogAnswer{accept: action.Accept, reply: action.Reply} })
	}
	if err := what.run(o, ctx); err != nil {
		return o.result, o.withNotes(err)
	}
	err = o.finish(ctx, what.describe)
	return o.result, err
}

// withNotes is a failure with what happened on the page.
func (o *operation) withNotes(err error) error {
	var own *tools.Error
	if o.tab == nil || !errors.As(err, &own) {
		return err
	}
	if notes := o.tab.takeNotes(); len(notes) > 0 {
		return &tools.Error{Code: own.Code, Message: own.Message + " (" + strings.Join(notes, "; ") + ")", Data: own.Data}
	}
	return err
}

// finish adds to the result what the page is now.
func (o *operation) finish(ctx context.Context, describe bool) error {
	if o.tab != nil && describe {
		if o.tab.settle(ctx, o.settings.Timeout) {
			o.tab.note(fmt.Sprintf("the page was still loading after %v; what is there so far is shown",
				o.settings.Timeout))
		}
	}
	var notes []string
	if o.tab != nil {
		notes = o.tab.takeNotes()
	}
	opened, err := o.session.adopt(ctx, o.call.AgentPath)
	if err != nil {
		return err
	}
	o.result.Notes = append(append(o.result.Notes, notes...), opened...)
	if len(opened) > 0 && describe {
		if o.tab, err = o.session.tab(o.call.AgentPath, ""); err != nil {
			return err
		}
		o.tab.settle(ctx, o.settings.Timeout)
	}
	if tabs := o.session.listed(o.call.AgentPath); len(tabs) > 1 || o.action.Op == "tabs" {
		o.result.Tabs = tabs
	}
	if o.tab == nil {
		return nil
	}
	o.result.Tab = o.tab.id
	if err := o.place(ctx); err != nil {
		return err
	}
	if !describe {
		return nil
	}
	return o.snapshot(ctx)
}

// place says where the tab is, and leaves a page that nobody may see.
func (o *operation) place(ctx context.Context) error {
	var entry *page.NavigationEntry
	err := o.tab.do(ctx, func(ctx context.Context) error {
		history, err := cdp.Call(ctx, o.tab.page, page.GetNavigationHistory, cdp.Empty{})
		if err == nil && int(history.CurrentIndex) < len(history.Entries) {
			entry = history.Entries[history.CurrentIndex]
		}
		return err
	})
	if err != nil || entry == nil {
		return err
	}
	o.result.URL, o.result.Title = shorten(entry.URL, maxURL), shorten(entry.Title, maxTitle)
	o.session.placed(o.tab, entry.URL, entry.Title)
	if err := o.service.refused(entry.URL, o.began); err != nil {
		o.leave(ctx)
		return err
	}
	if u, err := url.Parse(entry.URL); err != nil ||
		!slices.Contains([]string{"http", "https", "about", "data", "blob"}, u.Scheme) {
		o.leave(ctx)
		return tools.Errorf(tools.CodeBlocked, "the page led to an address that is neither http nor https; it was left")
	}
	return nil
}

// leave shows an empty page.
func (o *operation) leave(ctx context.Context) {
	// The page that stays where this fails is not shown either.
	_ = o.tab.do(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, o.tab.page, page.Navigate, page.NavigateParams{URL: "about:blank"})
		return err
	})
}

func (o *operation) nothing(context.Context) error { return nil }

// open shows a page, in the agent's current tab, in a named one or in a new one.
func (o *operation) open(ctx context.Context) (err error) {
	if o.action.URL == "" {
		return tools.Errorf(tools.CodeInvalidArguments, "op open needs url")
	}
	if o.action.Tab != "" && o.action.Tab != "new" {
		o.tab, err = o.session.tab(o.call.AgentPath, o.action.Tab)
	} else if o.action.Tab == "" {
		o.tab, _ = o.session.tab(o.call.AgentPath, "") // without one, a new one is made
		o.replaceStuck()
	}
	if err == nil && o.tab == nil {
		o.tab, err = o.session.newTab(ctx, o.call.AgentPath)
	}
	if err != nil {
		return err
	}
	o.tab.change(func() { o.tab.answer = dialogAnswer{accept: o.action.Accept, reply: o.action.Reply} })
	return o.navigate(ctx, o.action.URL)
}

// replaceStuck closes a tab that does not answer any more.
func (o *operation) replaceStuck() {
	if o.tab == nil {
		return
	}
	o.tab.mu.Lock()
	useless := o.tab.stuck || o.tab.crashed
	o.tab.mu.Unlock()
	if useless {
		o.session.closeTarget(o.tab.target)
		o.session.lose(o.tab.target)
		o.tab = nil
	}
}

func (o *operation) navigate(ctx context.Context, address string) error {
	limited, cancel := context.WithTimeout(ctx, o.settings.Timeout)
	defer cancel()
	answer, err := cdp.Call(limited, o.tab.page, page.Navigate, page.NavigateParams{URL: address})
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded):
		stop := context.WithoutCancel(ctx)
		_ = o.tab.do(stop, func(ctx context.Context) error { // it is late already
			_, err := cdp.Call(ctx, o.tab.page, page.StopLoading, cdp.Empty{})
			return err
		})
		return tools.Errorf(tools.CodeTimeout, "%s did not answer within %v (browser.timeout)", hostOf(address),
			o.settings.Timeout)
	case err != nil:
		return o.tab.do(ctx, func(context.Context) error { return err })
	case answer.IsDownload:
		return tools.Errorf(tools.CodeInvalidArguments,
			"this address is a file to download: use op download with the url and a path in the project")
	case answer.ErrorText != "":
		return o.unreachable(ctx, address, answer.ErrorText)
	}
	return nil
}

// unreachable says why a page could not be shown: it was refused, perhaps behind a
// redirect, or it is not there.
func (o *operation) unreachable(ctx context.Context, address, reason string) error {
	if err := o.service.refused(address, o.began); err != nil {
		return err
	}
	// While Chromium changes to its page of the error, it does not say where it is.
	for range 3 {
		o.tab.settle(ctx, o.settings.Timeout)
		err := o.place(ctx)
		if err == nil {
			break
		}
		if tools.CodeOf(err) == tools.CodeBlocked {
			return err
		}
	}
	return tools.Errorf(tools.CodeUnavailable, "%s cannot be shown: %s", hostOf(address),
		strings.TrimPrefix(reason, "net::"))
}

// back shows the page before this one.
func (o *operation) back(ctx context.Context) error {
	return o.tab.do(ctx, func(ctx context.Context) error {
		history, err := cdp.Call(ctx, o.tab.page, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		for at := int(history.CurrentIndex) - 1; at >= 0; at-- {
			if history.Entries[at].URL == "about:blank" {
				continue
			}
			_, err = cdp.Call(ctx, o.tab.page, page.NavigateToHistoryEntry,
				page.NavigateToHistoryEntryParams{EntryID: history.Entries[at].ID})
			return err
		}
		return tools.Errorf(tools.CodeInvalidArguments, "this is the first page of the tab: there is none before it")
	})
}

// tabs lists tabs, makes one the current one, or closes one.
func (o *operation) tabs(ctx context.Context) (err error) {
	if o.action.Tab == "" && !o.action.Close {
		return nil
	}
	t, err := o.session.tab(o.call.AgentPath, o.action.Tab)
	if err != nil {
		return err
	}
	if o.action.Close {
		o.session.closeTarget(t.target)
		o.session.lose(t.target)
		o.result.Notes = append(o.result.Notes, "closed "+t.id)
		return nil
	}
	o.tab = t
	return o.tab.do(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, t.page, page.BringToFront, cdp.Empty{})
		return err
	})
}

// Characters that are told of addresses and titles.
const (
	maxURL   = 2000
	maxTitle = 200
)

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "the page"
}

// shorten cuts a text at a number of characters.
func shorten(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

package browser

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"nanoclaw/internal/tools"
)

// session is the browser context of one conversation: its own cookies, storage and
// cache, and its tabs.
type session struct {
	service      *Service
	engine       *engine
	conversation string
	turn         chan struct{} // holds one token: who has it operates the pages
	used         time.Time     // guarded by Service.mu

	mu        sync.Mutex
	context   cdp.BrowserContextID // empty: not made yet
	targets   map[target.ID]*target.Info
	tabs      []*tab
	current   map[string]*tab // by agent
	nextTab   int
	nextRef   int
	nextFiles int
	operating bool
	disposed  bool
	downloads downloads
}

func newSession(s *Service, e *engine, conversation string) *session {
	one := &session{service: s, engine: e, conversation: conversation, turn: make(chan struct{}, 1), used: time.Now(),
		targets: map[target.ID]*target.Info{}, current: map[string]*tab{}}
	one.turn <- struct{}{}
	return one
}

func (c *session) isContext(id cdp.BrowserContextID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id != "" && c.context == id
}

// idleSince says whether nobody used the session since a time. The caller holds
// the mutex of the service.
func (c *session) idleSince(at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.operating && c.used.Before(at)
}

// begin waits for the session's turn and makes its browser context.
func (c *session) begin(ctx context.Context) error {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	c.operating = true
	made, disposed := c.context != "", c.disposed
	c.mu.Unlock()
	if disposed {
		c.end()
		return tools.Errorf(tools.CodeUnavailable, "the pages of this conversation have just been closed; try again")
	}
	if made {
		return nil
	}
	answer, err := cdp.Call(ctx, c.engine.browser, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err == nil {
		_, err = cdp.Call(ctx, c.engine.browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior:         browser.SetDownloadBehaviorBehaviorAllowAndName,
			BrowserContextID: answer.BrowserContextID, DownloadPath: insideHome, EventsEnabled: ptr(true),
		})
	}
	if err != nil {
		c.end()
		return c.engine.explain(fmt.Errorf("make a browser context: %w", err))
	}
	c.mu.Lock()
	c.context = answer.BrowserContextID
	disposed = c.disposed
	c.mu.Unlock()
	if disposed { // meanwhile
		c.dispose()
	}
	return nil
}

// end lets the next operation begin.
func (c *session) end() {
	c.service.mu.Lock()
	c.used = time.Now()
	c.service.mu.Unlock()
	c.mu.Lock()
	c.operating = false
	c.mu.Unlock()
	c.turn <- struct{}{}
}

// disposeTime bounds the end of a browser context.
const disposeTime = 5 * time.Second

// dispose closes the session's pages and forgets its cookies.
func (c *session) dispose() {
	c.mu.Lock()
	id := c.context
	tabs := c.tabs
	c.context, c.tabs, c.disposed = "", nil, true
	c.mu.Unlock()
	for _, t := range tabs {
		t.forget()
	}
	if id == "" || !c.engine.alive() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), disposeTime)
	defer cancel()
	if _, err := cdp.Call(ctx, c.engine.browser, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: id}); err != nil {
		c.service.Logger.Warn("a browser context could not be closed", "error", err)
	}
}

// event gets what Chromium says about targets and downloads. It must not block.
func (s *Service) event(event any) {
	switch event := event.(type) {
	case *target.EventTargetCreated:
		s.noteTarget(event.TargetInfo, true)
	case *target.EventTargetInfoChanged:
		s.noteTarget(event.TargetInfo, false)
	case *target.EventTargetDestroyed:
		for _, one := range s.all() {
			one.lose(event.TargetID)
		}
	case *browser.EventDownloadWillBegin:
		s.downloadBegins(event)
	case *browser.EventDownloadProgress:
		for _, one := range s.all() {
			one.downloads.progress(event)
		}
	}
}

// noteTarget keeps what is known of a page. One too many is closed.
func (s *Service) noteTarget(info *target.Info, created bool) {
	if info.Type != "page" {
		return
	}
	c := s.ofContext(info.BrowserContextID)
	if c == nil {
		return
	}
	limit := s.Settings().Tabs
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.targets[info.TargetID]; !known && !created {
		return // it has been closed
	} else if !known && len(c.targets) >= limit {
		go c.closeTarget(info.TargetID)
		return
	}
	c.targets[info.TargetID] = info
}

func (c *session) closeTarget(id target.ID) {
	ctx, cancel := context.WithTimeout(context.Background(), disposeTime)
	defer cancel()
	// What cannot be closed goes with the browser context.
	_, _ = cdp.Call(ctx, c.engine.browser, target.CloseTarget, target.CloseTargetParams{TargetID: id})
}

func (c *session) lose(id target.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.targets, id)
	for i, t := range c.tabs {
		if t.target == id {
			c.tabs = slices.Delete(c.tabs, i, i+1)
			t.forget()
			break
		}
	}
	for agent, t := range c.current {
		if t.target == id {
			delete(c.current, agent)
		}
	}
}

// adopt attaches to tabs that pages opened, and makes the newest the current one.
func (c *session) adopt(ctx context.Context, agent string) (notes []string, err error) {
	c.mu.Lock()
	var fresh []*target.Info
	for id, info := range c.targets {
		if !slices.ContainsFunc(c.tabs, func(t *tab) bool { return t.target == id }) {
			fresh = append(fresh, info)
		}
	}
	c.mu.Unlock()
	for _, info := range fresh {
		t, err := c.attach(ctx, info.TargetID, agent)
		if err != nil {
			return notes, err
		}
		notes = append(notes, fmt.Sprintf("the page opened a new tab, %s, which is the current one now", t.id))
	}
	return notes, nil
}

// tab is the agent's current tab, or the one that is named; without one it is an error.
func (c *session) tab(agent, id string) (*tab, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		for _, t := range c.tabs {
			if t.id == id && t.agent == agent {
				c.current[agent] = t
				return t, nil
			}
		}
		return nil, tools.Errorf(tools.CodeInvalidArguments, "there is no tab %s: op tabs lists them", id)
	}
	if t := c.current[agent]; t != nil {
		return t, nil
	}
	for _, t := range slices.Backward(c.tabs) {
		if t.agent == agent {
			c.current[agent] = t
			return t, nil
		}
	}
	return nil, tools.Errorf(tools.CodeInvalidArguments, "no page is open: open one first, with op open and its url")
}

// newTab makes a tab for an agent.
func (c *session) newTab(ctx context.Context, agent string) (*tab, error) {
	limit := c.service.Settings().Tabs
	c.mu.Lock()
	id, count := c.context, len(c.tabs)
	c.mu.Unlock()
	if count >= limit {
		return nil, tools.Errorf(tools.CodeUnavailable,
			"%d tabs are open, which is the limit (browser.max_tabs): close one (op tabs, tab, close)", count)
	}
	// Many at once would keep Chromium from finishing any of them in time.
	select {
	case c.service.opening <- struct{}{}:
		defer func() { <-c.service.opening }()
	case <-ctx.Done():
		return nil, tools.Errorf(tools.CodeTimeout, "the browser is busy opening pages of other conversations: try again")
	}
	answer, err := cdp.Call(ctx, c.engine.browser, target.CreateTarget, target.CreateTargetParams{URL: "about:blank",
		BrowserContextID: id, NewWindow: ptr(true)})
	if err != nil {
		return nil, c.engine.explain(fmt.Errorf("open a tab: %w", err))
	}
	return c.attach(ctx, answer.TargetID, agent)
}

// placed notes which page a tab shows.
func (c *session) placed(t *tab, url, title string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.url, t.title = url, title
}

// listed are the tabs of an agent.
func (c *session) listed(agent string) []tools.BrowserTab {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []tools.BrowserTab
	for _, t := range c.tabs {
		if t.agent != agent {
			continue
		}
		one := tools.BrowserTab{ID: t.id}
		if info := c.targets[t.target]; info != nil {
			one.URL, one.Title = shorten(info.URL, maxURL), shorten(info.Title, maxTitle)
			if t.url == info.URL && t.title != "" { // Chromium's own list may have the address for a title
				one.Title = shorten(t.title, maxTitle)
			}
		}
		list = append(list, one)
	}
	return list
}

func joinHost(host, port string) string { return net.JoinHostPort(host, port) }

func ptr[T any](value T) *T { return &value }

package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"nanoclaw/internal/tools"
)

// tab is one page, attached to.
type tab struct {
	session *session
	id      string // for the model: t1, t2, …
	agent   string // whose it is
	target  target.ID
	page    *chromedp.Target
	cancel  context.CancelFunc

	// The page and its title as its history told them last; under the lock of the session.
	url, title string

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced with every change below
	loading  bool
	crashed  bool
	stuck    bool // a command was not answered
	answer   dialogAnswer
	notes    []string
	frames   map[cdp.FrameID]bool
	choosers chan cdp.BackendNodeID // of file choosers; nil: they are not intercepted

	refs  map[cdp.BackendNodeID]string
	nodes map[string]cdp.BackendNodeID
}

// dialogAnswer is what dialogs of a page are answered.
type dialogAnswer struct {
	accept bool
	reply  string
}

// attach connects to a target as a tab of an agent.
func (c *session) attach(ctx context.Context, id target.ID, agent string) (*tab, error) {
	t := &tab{session: c, agent: agent, target: id, changed: make(chan struct{}), frames: map[cdp.FrameID]bool{},
		refs: map[cdp.BackendNodeID]string{}, nodes: map[string]cdp.BackendNodeID{}}
	own, cancel := chromedp.NewContext(c.engine.ctx, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel(),
		chromedp.WithListener(t.event))
	t.cancel = cancel
	attached := make(chan error, 1)
	go func() {
		page, err := chromedp.Run(own, func(_ context.Context, p *chromedp.Target) (*chromedp.Target, error) {
			return p, nil
		})
		t.page = page
		attached <- err
	}()
	select {
	case err := <-attached:
		if err == nil {
			err = t.prepare(ctx)
		}
		if err != nil {
			go cancel()
			return nil, c.engine.explain(fmt.Errorf("attach to a tab: %w", err))
		}
	case <-ctx.Done():
		go cancel()
		return nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextTab++
	t.id = fmt.Sprintf("t%d", c.nextTab)
	if c.targets[id] == nil {
		c.targets[id] = &target.Info{TargetID: id}
	}
	c.tabs = append(c.tabs, t)
	c.current[agent] = t
	return t, nil
}

// prepare sets the tab up, and ends what chromedp listens to and nobody here needs.
func (t *tab) prepare(ctx context.Context) error {
	for _, command := range []string{css.Disable.Method, dom.Disable.Method, log.Disable.Method,
		network.Disable.Method} {
		if err := t.page.Call(ctx, command, cdp.Empty{}, nil); err != nil {
			return err
		}
	}
	_, err := cdp.Call(ctx, t.page, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: viewportWidth, Height: viewportHeight, DeviceScaleFactor: 1})
	return err
}

// forget ends the connection to the tab, not the tab. It does not wait.
func (t *tab) forget() {
	go t.cancel()
	t.change(func() {})
}

// change changes what mu guards and wakes who waits for it.
func (t *tab) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// event gets what happens in the page. It must not block.
func (t *tab) event(event any) {
	switch event := event.(type) {
	case *page.EventFrameStartedLoading:
		t.load(event.FrameID, true)
	case *page.EventFrameStoppedLoading:
		t.load(event.FrameID, false)
	case *page.EventFrameAttached:
		t.change(func() { t.frames[event.FrameID] = true })
	case *page.EventFrameDetached:
		t.change(func() { delete(t.frames, event.FrameID) })
	case *page.EventFrameNavigated:
		if event.Frame.ParentID == "" {
			t.change(t.forgetRefs)
		}
	case *page.EventJavascriptDialogOpening:
		go t.answerDialog(event)
	case *page.EventFileChooserOpened:
		t.mu.Lock()
		choosers := t.choosers
		t.mu.Unlock()
		select {
		case choosers <- event.BackendNodeID:
		default: // nobody waits for one
		}
	case *inspector.EventTargetCrashed:
		t.change(func() { t.crashed = true })
	}
}

func (t *tab) load(frame cdp.FrameID, loading bool) {
	if frame == cdp.FrameID(t.target) {
		t.change(func() { t.loading = loading })
	}
}

// forgetRefs makes the references of the last document invalid. The caller holds mu.
func (t *tab) forgetRefs() {
	clear(t.refs)
	clear(t.nodes)
}

// note adds to what the next result says. At most a few are kept.
func (t *tab) note(text string) {
	t.change(func() {
		if len(t.notes) < 10 {
			t.notes = append(t.notes, text)
		}
	})
}

func (t *tab) takeNotes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	notes := t.notes
	t.notes = nil
	return notes
}

// answerDialog answers a dialog, which would stop the page.
func (t *tab) answerDialog(event *page.EventJavascriptDialogOpening) {
	t.mu.Lock()
	answer := t.answer
	t.mu.Unlock()
	accept := answer.accept
	if event.Type == page.DialogTypeAlert || event.Type == page.DialogTypeBeforeunload {
		accept = true
	}
	params := page.HandleJavaScriptDialogParams{Accept: accept}
	if accept && event.Type == page.DialogTypePrompt {
		params.PromptText = answer.reply
	}
	ctx, cancel := context.WithTimeout(context.Background(), disposeTime)
	defer cancel()
	// A dialog that is gone needs no answer.
	_, _ = cdp.Call(ctx, t.page, page.HandleJavaScriptDialog, params)
	did := map[bool]string{true: "accepted", false: "dismissed"}[accept]
	t.note(fmt.Sprintf("the page showed a dialog (%s): %q; it was %s", event.Type, shorten(event.Message, 300), did))
}

// do runs commands of the page within a time, and says clearly why they failed.
func (t *tab) do(ctx context.Context, work func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, t.session.service.Settings().Timeout)
	defer cancel()
	err := work(limited)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		t.change(func() { t.stuck = true })
		return ctx.Err()
	}
	t.mu.Lock()
	crashed := t.crashed
	t.mu.Unlock()
	switch {
	case crashed:
		return errCrashed
	case errors.Is(err, context.DeadlineExceeded):
		t.change(func() { t.stuck = true })
		return tools.Errorf(tools.CodeTimeout, "the page does not answer: its scripts keep it busy; open it again, "+
			"or another one")
	case errors.Is(err, chromedp.ErrTargetDetached):
		return tools.Errorf(tools.CodeUnavailable, "the tab has been closed: op tabs lists those that are left")
	}
	return t.session.engine.explain(err)
}

var errCrashed = tools.Errorf(tools.CodeUnavailable,
	"the page has crashed, perhaps for lack of memory (browser.page_memory): open it again, or another one")

// quiet is how long a page has to be at rest to count as loaded.
const quiet = 250 * time.Millisecond

// settle waits until the page does not load any more, and says whether it still does.
func (t *tab) settle(ctx context.Context, limit time.Duration) (loading bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		t.mu.Lock()
		loading, crashed, changed := t.loading, t.crashed, t.changed
		t.mu.Unlock()
		var rest <-chan time.Time
		if !loading {
			rest = time.After(quiet)
		}
		select {
		case <-changed:
		case <-rest:
			return false
		case <-ctx.Done():
			return loading
		}
		if crashed {
			return false
		}
	}
}

package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/visible"
)

// eventAlert is the type of messages about commands that went wrong.
const eventAlert = "alert"

// Options are what a Forwarder needs of the server.
type Options struct {
	Live *config.Live
	Log  *eventlog.Log
	// of an event that is stored elsewhere
	Resolve func(ctx context.Context, data []byte) (runs.EventHead, []byte, error)
	Redact  func(string) string
	Logger  *slog.Logger
	Count   func(event, result string) // result: delivered, failed, dropped
	// Once calls work while no other process delivers; nil: there is none.
	Once func(ctx context.Context, work func(ctx context.Context))
	// Cursor keeps the place in the events; nil: a file in data_dir.
	Cursor Cursor
}

// Cursor is a text that survives this process. Load is "" where none was saved.
type Cursor interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, cursor string) error
}

// Forwarder sends what happens to the configured webhook (CH13, SH9). Ends of runs and
// questions are read from the event log, behind a cursor that is stored: what
// happens while the receiver or this process is down is sent later, in order.
// Alerts wait in a queue that is bounded; no run ever waits for a message.
type Forwarder struct {
	Options
	sender Sender
	alerts chan Message
	wake   chan struct{} // has an element after the configuration changed
}

// New makes a forwarder. Nothing is sent before Start.
func New(o Options) *Forwarder {
	if o.Once == nil {
		o.Once = func(ctx context.Context, work func(ctx context.Context)) { work(ctx) }
	}
	if o.Cursor == nil {
		o.Cursor = cursorFile{o.Live}
	}
	return &Forwarder{Options: o, alerts: make(chan Message, o.Live.Current().Notifications.Queue),
		wake: make(chan struct{}, 1)}
}

// Start delivers in the background until stop is called, which waits for it.
func (n *Forwarder) Start(ctx context.Context) (stop func()) {
	if n.settings().Webhook != "" && n.cursor(ctx) == "" {
		n.remember(ctx, n.Log.Cursor()) // what happens from now on is sent
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.run(ctx)
	}()
	return func() { cancel(); <-done }
}

// run delivers until ctx ends.
func (n *Forwarder) run(ctx context.Context) {
	defer n.Live.Subscribe(func(_, _ *config.Config) {
		select {
		case n.wake <- struct{}{}:
		default:
		}
	})()
	var wg sync.WaitGroup
	wg.Go(func() { n.sendAlerts(ctx) })
	n.Once(ctx, n.forward)
	wg.Wait()
}

// forward delivers events until ctx ends.
func (n *Forwarder) forward(ctx context.Context) {
	for ctx.Err() == nil {
		if n.settings().Webhook == "" {
			n.remember(ctx, "")
			select {
			case <-n.wake:
			case <-ctx.Done():
			}
			continue
		}
		if err := n.follow(ctx); err != nil && ctx.Err() == nil {
			n.Logger.Warn("reading events for the webhook failed, trying again from the last cursor", "error", err)
			n.rest(ctx)
		}
	}
}

// rest is between two attempts to read events.
func (n *Forwarder) rest(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (n *Forwarder) settings() config.Notifications { return n.Live.Current().Notifications }

func (n *Forwarder) wants(event string) bool {
	c := n.settings()
	return c.Webhook != "" && slices.Contains(c.Events, event)
}

func (n *Forwarder) target() Target {
	c := n.settings()
	return Target{URL: c.Webhook.Reveal(), Secret: c.Secret.Reveal(), Timeout: c.Timeout.Std(),
		MaxAttempts: c.MaxAttempts}
}

// follow reads events from the stored cursor on, or from now on, and delivers
// those that are wanted, until the webhook is switched off or reading fails.
func (n *Forwarder) follow(ctx context.Context) error {
	sub, err := n.Log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{After: n.cursor(ctx)})
	if errors.Is(err, eventlog.ErrUnknownCursor) {
		n.Logger.Warn("events expired before they were sent to the webhook")
		n.remember(ctx, "")
		sub, err = n.Log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{})
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	if n.cursor(ctx) == "" {
		n.remember(ctx, sub.Begun())
	}
	for {
		event, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		head, is := noticeOf(event.Data)
		if !is {
			continue
		}
		if head, event.Data, err = n.Resolve(ctx, event.Data); err != nil {
			return err
		}
		if n.settings().Webhook == "" {
			return nil
		}
		if head.Type == runs.EventApprovalAsked && event.Data != nil {
			event.Data = visible.JSON(event.Data) // a person may decide on what the receiver shows
		}
		if n.wants(head.Type) && event.Data != nil {
			n.deliver(ctx, Message{ID: "evt_" + event.Cursor, Type: head.Type, Body: messageBody(head.Type,
				head.Time, event.Data)})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n.remember(ctx, event.Cursor)
	}
}

// noticeOf says whether an event is one that a webhook can receive. Most are
// pieces of text, which cost no decoding.
func noticeOf(data []byte) (head runs.EventHead, is bool) {
	if !bytes.Contains(data[:min(len(data), 60)], []byte(`"`+runs.EventRunFinished+`"`)) &&
		!bytes.Contains(data[:min(len(data), 60)], []byte(`"`+runs.EventApprovalAsked+`"`)) {
		return head, false
	}
	if json.Unmarshal(data, &head) != nil {
		return head, false
	}
	return head, head.Type == runs.EventRunFinished || head.Type == runs.EventApprovalAsked
}

// messageBody is {"type","timestamp","data"}, as Standard Webhooks recommends.
func messageBody(kind, at string, data json.RawMessage) []byte {
	body, err := json.Marshal(struct {
		Type      string          `json:"type"`
		Timestamp string          `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{kind, at, data})
	if err != nil {
		panic("the body of a message does not encode: " + err.Error())
	}
	return body
}

func (n *Forwarder) deliver(ctx context.Context, m Message) {
	result := "delivered"
	if err := n.sender.Deliver(ctx, n.target, m); err != nil {
		if ctx.Err() != nil {
			return // the next process sends it
		}
		result = "failed"
		n.Logger.Warn("could not deliver to the webhook", "error", err)
	}
	n.Count(m.Type, result)
}

// Alert sends a message about a command that went wrong. It never waits.
func (n *Forwarder) Alert(call tools.Call, kind, detail string) {
	if !n.wants(eventAlert) {
		return
	}
	data, err := json.Marshal(map[string]string{
		"kind": kind, "detail": n.Redact(detail), "tool": call.Tool, "call_id": call.ID, "run_id": call.RunID,
		"root_run_id":     call.RootRunID,
		"conversation_id": call.ConversationID, "project_id": call.ProjectID, "user_id": call.UserID,
		"agent_path": call.AgentPath,
	})
	if err != nil {
		return
	}
	id := store.NewID()
	select {
	case n.alerts <- Message{ID: "alert_" + id, Type: eventAlert, Body: messageBody(eventAlert,
		time.Now().UTC().Format(time.RFC3339Nano), data)}:
	default:
		n.Count(eventAlert, "dropped")
		n.Logger.Warn("an alert was dropped: too many wait for the webhook", "kind", kind, "tool", call.Tool, "call",
			call.ID)
	}
}

func (n *Forwarder) sendAlerts(ctx context.Context) {
	for {
		select {
		case m := <-n.alerts:
			n.deliver(ctx, m)
		case <-ctx.Done():
			return
		}
	}
}

// cursorFile holds the cursor of the last event that was sent.
func (n *Forwarder) cursor(ctx context.Context) string {
	cursor, err := n.Cursor.Load(ctx)
	if err != nil && ctx.Err() == nil {
		n.Logger.Error("could not read the webhook cursor: events may be left out", "error", err)
	}
	return cursor
}

func (n *Forwarder) remember(ctx context.Context, cursor string) {
	if err := n.Cursor.Save(context.WithoutCancel(ctx), cursor); err != nil {
		n.Logger.Error("could not store the webhook cursor: after a restart events may be sent again", "error",
			err)
	}
}

// cursorFile is a Cursor in data_dir.
type cursorFile struct{ live *config.Live }

func (f cursorFile) name() string {
	return filepath.Join(f.live.Current().DataDir, "notifications.cursor")
}

// Load is "" where the file cannot be read.
func (f cursorFile) Load(context.Context) (string, error) {
	text, err := os.ReadFile(f.name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// Save removes the file where the cursor is empty.
func (f cursorFile) Save(_ context.Context, cursor string) error {
	if cursor != "" {
		return config.Save(f.name(), []byte(cursor))
	}
	if err := os.Remove(f.name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

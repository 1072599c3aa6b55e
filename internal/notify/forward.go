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
	return &Forwarder{Options: o, alerts: make(chan Message, o.Live.Current().Notifications.Queue),
		wake: make(chan struct{}, 1)}
}

// Start delivers in the background until stop is called, which waits for it.
func (n *Forwarder) Start(ctx context.Context) (stop func()) {
	if n.settings().Webhook != "" && n.cursor() == "" {
		n.remember(n.Log.Cursor()) // what happens from now on is sent
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
	for ctx.Err() == nil {
		if n.settings().Webhook == "" {
			n.forget()
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
	wg.Wait()
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
	sub, err := n.Log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{After: n.cursor()})
	if errors.Is(err, eventlog.ErrUnknownCursor) {
		n.Logger.Warn("events expired before they were sent to the webhook")
		n.forget()
		sub, err = n.Log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{})
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	if n.cursor() == "" {
		n.remember(sub.Begun())
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
		n.remember(event.Cursor)
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
func (n *Forwarder) cursorFile() string {
	return filepath.Join(n.Live.Current().DataDir, "notifications.cursor")
}

func (n *Forwarder) cursor() string {
	text, err := os.ReadFile(n.cursorFile())
	if err != nil {
		return ""
	}
	return string(text)
}

func (n *Forwarder) remember(cursor string) {
	if err := config.Save(n.cursorFile(), []byte(cursor)); err != nil {
		n.Logger.Error("could not store the webhook cursor: after a restart events may be sent again", "error",
			err)
	}
}

func (n *Forwarder) forget() {
	if err := os.Remove(n.cursorFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		n.Logger.Error("could not clear the webhook cursor", "error", err)
	}
}

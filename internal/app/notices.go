package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/notify"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/visible"
)

// eventAlert is the type of messages about commands that went wrong.
const eventAlert = "alert"

// notices notifies the configured webhook (CH13, SH9). Ends of runs and approvals are
// read from the event log, behind a stored cursor: what happens while the receiver or
// this process is down is sent later, in order. Alerts wait in a bounded queue; no run
// ever waits for a message.
type notices struct {
	app    *App
	sender notify.Sender
	alerts chan notify.Message
	wake   chan struct{} // has an element after the configuration changed
}

func newNotices(a *App) *notices {
	return &notices{app: a, alerts: make(chan notify.Message, a.Live.Current().Notifications.Queue),
		wake: make(chan struct{}, 1)}
}

// startNotices delivers in the background until ctx ends; closing the app waits
// for it.
func (a *App) startNotices(ctx context.Context) {
	if a.notices.settings().Webhook != "" && a.notices.cursor() == "" {
		a.notices.remember(a.log.Cursor()) // what happens from now on is sent
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.notices.run(ctx)
	}()
	a.closers = append(a.closers, func() { stop(); <-done })
}

// run delivers until ctx ends.
func (n *notices) run(ctx context.Context) {
	defer n.app.Live.Subscribe(func(_, _ *config.Config) {
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
			n.app.Logger.Warn("events for the webhook are read again from the last cursor", "error", err)
			n.rest(ctx)
		}
	}
	wg.Wait()
}

// rest is between two attempts to read events.
func (n *notices) rest(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (n *notices) settings() config.Notifications { return n.app.Live.Current().Notifications }

func (n *notices) wants(event string) bool {
	c := n.settings()
	return c.Webhook != "" && slices.Contains(c.Events, event)
}

func (n *notices) target() notify.Target {
	c := n.settings()
	return notify.Target{URL: c.Webhook.Reveal(), Secret: c.Secret.Reveal(), Timeout: c.Timeout.Std(),
		MaxAttempts: c.MaxAttempts}
}

// follow reads events from the stored cursor on, or from now on, and delivers
// those that are wanted, until the webhook is switched off or reading fails.
func (n *notices) follow(ctx context.Context) error {
	sub, err := n.app.log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{After: n.cursor()})
	if errors.Is(err, eventlog.ErrUnknownCursor) {
		n.app.Logger.Warn("events are gone that were not sent to the webhook")
		n.forget()
		sub, err = n.app.log.Subscribe(ctx, eventlog.Filter{}, eventlog.Start{})
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
		if head, event.Data, err = n.app.Runs.Resolve(ctx, event.Data); err != nil {
			return err
		}
		if n.settings().Webhook == "" {
			return nil
		}
		if head.Type == runs.EventApprovalAsked && event.Data != nil {
			event.Data = visible.JSON(event.Data) // a person may decide on what the receiver shows
		}
		if n.wants(head.Type) && event.Data != nil {
			n.deliver(ctx, notify.Message{ID: "evt_" + event.Cursor, Type: head.Type, Body: messageBody(head.Type,
				head.Time, event.Data)})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n.remember(event.Cursor)
	}
}

// noticeOf says whether an event is one that a webhook can get. Most are
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
		panic("the body of a message is not JSON: " + err.Error())
	}
	return body
}

func (n *notices) deliver(ctx context.Context, m notify.Message) {
	result := "delivered"
	if err := n.sender.Deliver(ctx, n.target, m); err != nil {
		if ctx.Err() != nil {
			return // the next process sends it
		}
		result = "failed"
		n.app.Logger.Warn("a message to the webhook was not delivered", "error", err)
	}
	n.app.counters.messages.WithLabelValues(m.Type, result).Inc()
}

// alert notifies of a command that went wrong. It never waits.
func (a *App) alert(call tools.Call, kind, detail string) {
	n := a.notices
	if n == nil || !n.wants(eventAlert) {
		return
	}
	data, err := json.Marshal(map[string]string{
		"kind": kind, "detail": a.Redactor.String(detail), "tool": call.Tool, "call_id": call.ID, "run_id": call.RunID,
		"root_run_id":     call.RootRunID,
		"conversation_id": call.ConversationID, "project_id": call.ProjectID, "user_id": call.UserID,
		"agent_path": call.AgentPath,
	})
	if err != nil {
		return
	}
	id := store.NewID()
	select {
	case n.alerts <- notify.Message{ID: "alert_" + id, Type: eventAlert, Body: messageBody(eventAlert,
		time.Now().UTC().Format(time.RFC3339Nano), data)}:
	default:
		a.counters.messages.WithLabelValues(eventAlert, "dropped").Inc()
		a.Logger.Warn("an alert was dropped: too many wait for the webhook", "kind", kind, "tool", call.Tool, "call",
			call.ID)
	}
}

func (n *notices) sendAlerts(ctx context.Context) {
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
func (n *notices) cursorFile() string {
	return filepath.Join(n.app.Live.Current().DataDir, "notifications.cursor")
}

func (n *notices) cursor() string {
	text, err := os.ReadFile(n.cursorFile())
	if err != nil {
		return ""
	}
	return string(text)
}

func (n *notices) remember(cursor string) {
	if err := config.Save(n.cursorFile(), []byte(cursor)); err != nil {
		n.app.Logger.Error("the cursor of the webhook could not be stored: after a restart messages may be sent again",
			"error", err)
	}
}

func (n *notices) forget() {
	if err := os.Remove(n.cursorFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		n.app.Logger.Error("the cursor of the webhook could not be removed", "error", err)
	}
}

package runs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
)

// Event is one event for a client. Data is one JSON object.
type Event struct {
	Cursor string
	Type   string
	Data   []byte
}

// Watch is a stream of events. Next returns io.EOF at its end,
// eventlog.ErrSlow, eventlog.ErrClosed, or the end of its context. Close must be called.
type Watch struct {
	service *Service
	filter  eventlog.Filter
	cursor  string // of the last event
	sub     *eventlog.Subscription
	first   []Event // snapshots, before what the subscription has
	runID   string  // only events of this run and those below it; empty: all
	rootRun bool
	ended   bool
}

// ErrOver says that a run's events were all seen: there is nothing to wait for.
var ErrOver = errors.New("the run has ended and all its events were seen")

// WatchConversation follows a conversation, or all of a user's for the empty id.
// Behind a cursor it goes on without gap or repetition; without one, or with one
// that is too old or unknown, it begins with one snapshot.
func (s *Service) WatchConversation(ctx context.Context, userID, conversationID, after string) (*Watch, error) {
	filter := eventlog.Filter{UserID: userID, ConversationID: conversationID}
	if after != "" {
		sub, err := s.Log.Subscribe(ctx, filter, eventlog.Start{After: after})
		if err == nil {
			return &Watch{service: s, filter: filter, cursor: after, sub: sub}, nil
		}
		if !errors.Is(err, eventlog.ErrUnknownCursor) {
			return nil, err
		}
	}
	sub, err := s.Log.Subscribe(ctx, filter, eventlog.Start{})
	if err != nil {
		return nil, err
	}
	first, err := s.conversationSnapshot(ctx, userID, conversationID, sub.Begun())
	if err != nil {
		sub.Close()
		return nil, err
	}
	return &Watch{service: s, filter: filter, cursor: sub.Begun(), sub: sub, first: []Event{first}}, nil
}

// conversationSnapshot is the state that live events go on from. Events that it
// already holds may follow it: they carry ids and offsets that say so.
func (s *Service) conversationSnapshot(ctx context.Context, userID, conversationID, cursor string) (Event, error) {
	var active []*models.Run
	var err error
	if conversationID != "" {
		active, err = s.Store.ActiveRuns(ctx, conversationID)
	} else {
		active, err = s.Store.ActiveRunsOfUser(ctx, userID)
	}
	if err != nil {
		return Event{}, err
	}
	payload := struct {
		Snapshot
		Runs []Snapshot `json:"runs"` // all that are active, the one above first
	}{Snapshot: Snapshot{Approvals: []*ApprovalView{}}, Runs: []Snapshot{}}
	head := EventHead{Type: EventSnapshot, ConversationID: conversationID,
		Time: time.Now().UTC().Format(time.RFC3339Nano)}
	for _, run := range active {
		snapshot, root, err := s.snapshotOf(ctx, run.ID)
		if err != nil {
			return Event{}, err
		}
		if len(payload.Runs) == 0 && conversationID != "" {
			payload.Snapshot = *snapshot
			head.RunID, head.RootRunID, head.AgentPath = root.ID, root.ID, root.AgentPath
		}
		payload.Runs = append(payload.Runs, *snapshot)
	}
	return Event{Cursor: cursor, Type: EventSnapshot, Data: splice(head, payload)}, nil
}

// WatchRun follows one run and those below it, from its first event or from behind
// a cursor, until run.finished (agent.finished for a sub-agent). With the cursor
// of that last event it returns ErrOver. A run whose events are gone is shown by
// a snapshot and its end.
func (s *Service) WatchRun(ctx context.Context, userID, runID, after string) (*Watch, error) {
	run, err := s.Store.Run(ctx, userID, runID)
	if err != nil {
		return nil, err
	}
	filter := eventlog.Filter{UserID: userID, ConversationID: run.ConversationID, RunID: run.RootRunID}
	watch := &Watch{service: s, filter: filter, cursor: after, runID: run.ID, rootRun: run.ParentRunID == ""}
	start := eventlog.Start{Beginning: true}
	if after != "" {
		start = eventlog.Start{After: after}
	}
	watch.sub, err = s.Log.Subscribe(ctx, filter, start)
	if errors.Is(err, eventlog.ErrUnknownCursor) {
		return s.rebuiltWatch(ctx, filter, run)
	}
	if err != nil {
		return nil, err
	}
	// The run may end while this looks: it is read again behind the subscription.
	if run, err = s.Store.Run(ctx, userID, runID); err != nil || !models.RunEnded(run.Status) {
		return watch, err
	}
	stored, err := s.Log.HasAfter(ctx, filter, watch.sub)
	if err != nil || stored {
		return watch, err
	}
	watch.sub.Close()
	if after != "" {
		return nil, ErrOver
	}
	return s.rebuiltWatch(ctx, filter, run)
}

// rebuiltWatch shows a run from the database: a snapshot, then what happens, or
// its end where it has ended.
func (s *Service) rebuiltWatch(ctx context.Context, filter eventlog.Filter, run *models.Run) (*Watch, error) {
	sub, err := s.Log.Subscribe(ctx, filter, eventlog.Start{})
	if err != nil {
		return nil, err
	}
	watch := &Watch{service: s, filter: filter, sub: sub, runID: run.ID, rootRun: run.ParentRunID == ""}
	snapshot, root, err := s.snapshotOf(ctx, run.RootRunID)
	if err != nil {
		sub.Close()
		return nil, err
	}
	watch.first = []Event{{Cursor: sub.Begun(), Type: EventSnapshot, Data: encodeEvent(EventSnapshot, root, snapshot)}}
	if models.RunEnded(run.Status) {
		end := Event{Cursor: sub.Begun()}
		end.Type, end.Data = endEvent(run)
		watch.first = append(watch.first, end)
	}
	return watch, nil
}

// Next waits for the next event.
func (w *Watch) Next(ctx context.Context) (Event, error) {
	for {
		event, stored, err := w.take(ctx)
		if errors.Is(err, eventlog.ErrReopened) {
			err = w.resume(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return Event{}, err
		}
		head, data, err := w.service.resolve(ctx, stored, event.Data)
		if err != nil {
			return Event{}, &storedError{what: "event " + event.Cursor, err: err}
		}
		w.cursor = event.Cursor
		if data == nil {
			continue
		}
		event.Type, event.Data = head.Type, data
		if !w.concerns(head) {
			continue
		}
		if w.endsWith(head) {
			if w.ended, err = w.over(ctx, event.Data); err != nil {
				return Event{}, err
			}
		}
		return event, nil
	}
}

// concerns says whether an event is one of those that are watched: of a sub-agent only
// its own and snapshots.
func (w *Watch) concerns(head EventHead) bool {
	return w.runID == "" || w.rootRun || head.RunID == w.runID || head.Type == EventSnapshot
}

// endsWith says whether an event is an end of the run that is watched.
func (w *Watch) endsWith(head EventHead) bool {
	return w.runID != "" && head.RunID == w.runID &&
		(head.Type == EventRunFinished || !w.rootRun && head.Type == EventAgentFinished)
}

// resume goes on behind the last event after the event log was replaced: with what
// follows, or with a snapshot where that is gone.
func (w *Watch) resume(ctx context.Context) error {
	var next *Watch
	var err error
	if w.runID != "" {
		next, err = w.service.WatchRun(ctx, w.filter.UserID, w.runID, w.cursor)
	} else {
		next, err = w.service.WatchConversation(ctx, w.filter.UserID, w.filter.ConversationID, w.cursor)
	}
	if errors.Is(err, ErrOver) {
		return io.EOF
	}
	if err != nil {
		return err
	}
	w.sub.Close()
	*w = *next
	return nil
}

// over says whether the end of the run that was just seen is the last one: a run
// that was continued has another attempt, and another end.
func (w *Watch) over(ctx context.Context, end []byte) (bool, error) {
	var seen runPayload
	if err := json.Unmarshal(end, &seen); err != nil {
		return false, &storedError{what: "end of run " + w.runID, err: err}
	}
	// The event is in hand: a caller that waited just so long still gets it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	run, err := w.service.Store.Run(ctx, w.filter.UserID, w.runID)
	if err != nil {
		return false, err
	}
	return models.RunEnded(run.Status) && seen.Run.Attempt == run.Attempt, nil
}

// take returns the next event, and its head.
func (w *Watch) take(ctx context.Context) (Event, storedEvent, error) {
	var next eventlog.Event
	switch {
	case w.ended:
		return Event{}, storedEvent{}, io.EOF
	case len(w.first) > 0:
		next = eventlog.Event{Cursor: w.first[0].Cursor, Data: w.first[0].Data}
		w.first = w.first[1:]
	default:
		var err error
		if next, err = w.sub.Next(ctx); err != nil {
			return Event{}, storedEvent{}, err
		}
	}
	event := Event{Cursor: next.Cursor, Data: next.Data}
	head, err := next.Decode(decodeStored)
	if err != nil {
		return event, storedEvent{}, &storedError{what: "event " + next.Cursor, err: err}
	}
	return event, head.(storedEvent), nil
}

// Close ends the stream.
func (w *Watch) Close() { w.sub.Close() }

// EventsCursor is the place from which a client that has read the database goes on.
func (s *Service) EventsCursor() string { return s.Log.Cursor() }

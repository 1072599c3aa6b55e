package runs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
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
	userID  string
	sees    map[string]bool // conversations of Filter.Also, whether they may be seen
	runID   string          // only events of this run and those below it; empty: all
	rootRun bool
	ended   bool
}

// ErrOver says that a run's events were all seen: there is nothing to wait for.
var ErrOver = errors.New("the run has ended and all its events were seen")

// WatchConversation follows a conversation, or all that a user may reach for the empty id.
// Behind a cursor it goes on without gap or repetition; without one, or with one
// that is too old or unknown, it begins with one snapshot.
func (s *Service) WatchConversation(ctx context.Context, userID, conversationID, after string) (*Watch, error) {
	filter, err := s.filterOf(ctx, userID, conversationID)
	if err != nil {
		return nil, err
	}
	if after != "" {
		sub, err := s.Log.Subscribe(ctx, filter, eventlog.Start{After: after})
		if err == nil {
			return &Watch{service: s, filter: filter, userID: userID, cursor: after, sub: sub}, nil
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
	return &Watch{service: s, filter: filter, userID: userID, cursor: sub.Begun(), sub: sub, first: []Event{first}}, nil
}

// filterOf selects the events of a conversation that was authorized, or of the user and of
// those who share projects with them.
func (s *Service) filterOf(ctx context.Context, userID, conversationID string) (eventlog.Filter, error) {
	if conversationID != "" {
		return eventlog.Filter{ConversationID: conversationID}, nil
	}
	owners, err := s.Store.OwnersFor(ctx, userID)
	return eventlog.Filter{UserID: userID, Also: owners}, err
}

// Still says with an error that the user may not see any more what is watched, or that
// there is more to see than when the watch began.
func (w *Watch) Still(ctx context.Context) error {
	if w.runID != "" {
		_, err := w.service.Store.Run(ctx, w.userID, w.runID)
		return err
	}
	if w.filter.ConversationID != "" {
		_, err := w.service.Store.GetConversation(ctx, w.userID, w.filter.ConversationID)
		return err
	}
	now, err := w.service.filterOf(ctx, w.userID, "")
	if err == nil && !slices.Equal(now.Also, w.filter.Also) {
		err = errMembershipChanged
	}
	clear(w.sees)
	return err
}

var errMembershipChanged = errors.New("the user's memberships have changed")

// shared says whether an event of a stream with other users' conversations may be seen.
func (w *Watch) shared(ctx context.Context, head EventHead) (bool, error) {
	if len(w.filter.Also) == 0 || head.ConversationID == "" {
		return true, nil
	}
	may, known := w.sees[head.ConversationID]
	if known && head.Type != EventConversation { // which it may have been moved by
		return may, nil
	}
	_, err := w.service.Store.GetConversation(ctx, w.userID, head.ConversationID)
	switch {
	case store.IsCode(err, store.CodeNotFound):
		may = may && head.Type == EventConversationGone
	case err != nil:
		return false, err
	default:
		may = true
	}
	if w.sees == nil {
		w.sees = map[string]bool{}
	}
	w.sees[head.ConversationID] = may
	return may, nil
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
	filter := eventlog.Filter{ConversationID: run.ConversationID, RunID: run.RootRunID}
	watch := &Watch{service: s, filter: filter, userID: userID, cursor: after, runID: run.ID, rootRun: run.ParentRunID == ""}
	start := eventlog.Start{Beginning: true}
	if after != "" {
		start = eventlog.Start{After: after}
	}
	watch.sub, err = s.Log.Subscribe(ctx, filter, start)
	if errors.Is(err, eventlog.ErrUnknownCursor) {
		return s.rebuiltWatch(ctx, filter, userID, run)
	}
	if err != nil {
		return nil, err
	}
	if !models.RunEnded(run.Status) {
		return watch, nil // where it has ended meanwhile, its end is among the events
	}
	stored, err := s.storedAfter(ctx, run, filter, watch.sub)
	if err == nil && stored {
		return watch, nil
	}
	watch.sub.Close()
	if err != nil {
		return nil, err
	}
	if after != "" {
		return nil, ErrOver
	}
	return s.rebuiltWatch(ctx, filter, userID, run)
}

// unsentTimeout is how long a client waits for events of a run's end that are not sent yet.
const unsentTimeout = 5 * time.Second

// storedAfter says whether events of a run that has ended are stored which the subscription
// has not handed out. Its last events may still be on their way from the database, where NATS
// was away: they are waited for.
func (s *Service) storedAfter(ctx context.Context, run *models.Run, filter eventlog.Filter,
	sub *eventlog.Subscription) (bool, error) {
	subject := subjectOf(run)
	late := time.NewTimer(unsentTimeout)
	defer late.Stop()
	for {
		unsent, err := s.Store.OutboxHas(ctx, subject) // first: what is gone from there is stored
		if err != nil {
			return false, err
		}
		stored, err := s.Log.HasAfter(ctx, filter, sub)
		if err != nil || stored || !unsent {
			return stored, err
		}
		select {
		case <-time.After(forgetEvery):
		case <-late.C:
			return false, &store.Error{Code: store.CodeUnavailable,
				Message: "the last events of this run are not sent yet: try again"}
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// rebuiltWatch shows a run from the database: a snapshot, then what happens, or
// its end where it has ended.
func (s *Service) rebuiltWatch(ctx context.Context, filter eventlog.Filter, userID string,
	run *models.Run) (*Watch, error) {
	sub, err := s.Log.Subscribe(ctx, filter, eventlog.Start{})
	if err != nil {
		return nil, err
	}
	watch := &Watch{service: s, filter: filter, userID: userID, sub: sub, runID: run.ID, rootRun: run.ParentRunID == ""}
	snapshot, root, err := s.snapshotOf(ctx, run.RootRunID)
	if err == nil { // it may have ended before the subscription began
		run, err = s.Store.Run(ctx, userID, run.ID)
	}
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
		if shown, err := w.show(ctx, &event, stored); err != nil || shown {
			return event, err
		}
	}
}

// show completes an event that was taken, and says whether it is for the caller, who gets it
// however short it waits.
func (w *Watch) show(ctx context.Context, event *Event, stored storedEvent) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	head, data, err := w.service.resolve(ctx, stored, event.Data)
	if err != nil {
		return false, &storedError{what: "event " + event.Cursor, err: err}
	}
	w.cursor = event.Cursor
	if data == nil || !w.concerns(head) {
		return false, nil
	}
	event.Type, event.Data = head.Type, data
	if seen, err := w.shared(ctx, head); err != nil || !seen {
		return false, err
	}
	if w.endsWith(head) {
		w.ended, err = w.over(ctx, event.Data)
	}
	return err == nil, err
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
		next, err = w.service.WatchRun(ctx, w.userID, w.runID, w.cursor)
	} else {
		next, err = w.service.WatchConversation(ctx, w.userID, w.filter.ConversationID, w.cursor)
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
	run, err := w.service.Store.Run(ctx, w.userID, w.runID)
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

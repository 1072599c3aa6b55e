package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
)

// storedEvent is what the event log has of an event: all of it, or a reference to
// what is in the database.
type storedEvent struct {
	EventHead
	// BodyID names a stored event that is too large for the log.
	BodyID string `json:"body_id,omitempty"`
	// Replaced marks a snapshot in place of an event that could not be sent: it is
	// made when it is delivered.
	Replaced bool `json:"replaced,omitempty"`
}

// sendable turns a message into one that the log takes: the body of a large event
// is stored, and the log gets a reference to it. An event that can never be sent is
// replaced by a reference to its run's snapshot. nil: nobody can ever see it.
func (s *Service) sendable(ctx context.Context, m eventlog.Message) (*eventlog.Message, error) {
	refused := m.Check()
	if refused == nil {
		return &m, nil
	}
	if m.ID == "" {
		m.ID = store.NewID()
	}
	stored := storedHead(m)
	if len(m.Data) > eventlog.MaxData && stored.Type != "" {
		body := &models.EventBody{MessageID: m.ID, ConversationID: stored.ConversationID, Payload: m.Data}
		err := s.Store.KeepEventBody(ctx, body)
		switch {
		case err == nil:
			stored.BodyID = m.ID
			m.Data = encode(stored)
			if m.Check() == nil {
				return &m, nil
			}
		case !store.IsCode(err, store.CodeNotFound):
			return nil, err
		}
	}
	return s.replaced(ctx, m, stored, refused), nil
}

// replaced is what is sent in place of a message that cannot be sent.
func (s *Service) replaced(
	ctx context.Context, m eventlog.Message, stored storedEvent, refused error,
) *eventlog.Message {
	s.unsendable.Add(1)
	s.Logger.Error("an event cannot be sent and is replaced by a snapshot",
		"type", stored.Type, "run", stored.RootRunID, "message", m.ID, "error", refused)
	root, err := s.Store.Run(ctx, "", stored.RootRunID)
	if err != nil {
		return nil // there is nothing to show
	}
	data := encode(storedEvent{EventHead: headOf(EventSnapshot, root), Replaced: true})
	return &eventlog.Message{Subject: subjectOf(root), ID: store.NewID(), Data: data}
}

// storedHead is the head of a message; what the payload does not say is in the subject.
func storedHead(m eventlog.Message) storedEvent {
	var stored storedEvent
	if json.Unmarshal(m.Data, &stored) != nil {
		stored = storedEvent{}
	}
	stored.BodyID, stored.Replaced = "", false
	if tokens := strings.Split(m.Subject, "."); len(tokens) == 4 {
		stored.ConversationID, stored.RootRunID = firstOf(stored.ConversationID, tokens[2]), firstOf(stored.RootRunID,
			tokens[3])
	}
	return stored
}

// Resolve returns an event as it was told: a reference is replaced by what it
// refers to. Where that is gone, it is shown as it is now; nil: nothing is left of it.
func (s *Service) Resolve(ctx context.Context, data []byte) (EventHead, []byte, error) {
	stored, err := decodeStored(data)
	if err != nil {
		return EventHead{}, nil, err
	}
	return s.resolve(ctx, stored.(storedEvent), data)
}

// decodeStored reads the head of an event, as a storedEvent.
func decodeStored(data []byte) (any, error) {
	var stored storedEvent
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	return stored, nil
}

func (s *Service) resolve(ctx context.Context, stored storedEvent, data []byte) (EventHead, []byte, error) {
	if stored.BodyID == "" && !stored.Replaced {
		return stored.EventHead, data, nil
	}
	if stored.BodyID != "" {
		body, err := s.Store.EventBody(ctx, stored.BodyID)
		if err == nil || !store.IsCode(err, store.CodeNotFound) {
			return stored.EventHead, body, err
		}
	}
	body, err := s.shownNow(ctx, &stored.EventHead)
	if store.IsCode(err, store.CodeNotFound) {
		return stored.EventHead, nil, nil
	}
	return stored.EventHead, body, err
}

// shownNow is an event from the database's present state: the end of a run, else a
// snapshot.
func (s *Service) shownNow(ctx context.Context, head *EventHead) ([]byte, error) {
	if head.Type == EventRunFinished || head.Type == EventAgentFinished {
		run, err := s.Store.Run(ctx, "", head.RunID)
		if err != nil {
			return nil, err
		}
		_, data := endEvent(run)
		return data, nil
	}
	snapshot, root, err := s.snapshotOf(ctx, head.RootRunID)
	if err != nil {
		return nil, err
	}
	*head = headOf(EventSnapshot, root)
	return splice(*head, snapshot), nil
}

// endEvent is the event that ends a run's stream.
func endEvent(run *models.Run) (eventType string, data []byte) {
	if run.ParentRunID != "" {
		return EventAgentFinished, encodeEvent(EventAgentFinished, run, finishedAgent(run))
	}
	view := ViewRun(run)
	return EventRunFinished, encodeEvent(EventRunFinished, run, finishedPayload{Run: view, Error: view.Error})
}

// publish sends messages at once, in order. Large ones become references.
func (s *Service) publish(ctx context.Context, messages []eventlog.Message) error {
	ready := messages[:0:0]
	for _, m := range messages {
		sendable, err := s.sendable(ctx, m)
		if err != nil {
			return err
		}
		if sendable != nil {
			ready = append(ready, *sendable)
		}
	}
	return s.Log.Publish(ctx, ready...)
}

// passing says whether an error is one of an outage, which ends without anybody
// having changed anything.
func passing(err error) bool {
	var down *eventlog.DownError
	return errors.As(err, &down) || store.IsCode(err, store.CodeStorageFull) ||
		store.IsCode(err, store.CodeUnavailable) || errors.Is(err, eventlog.ErrReopened)
}

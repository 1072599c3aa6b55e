package eventlog

import (
	"errors"
	"runtime"
	"testing"
)

// GR3: a client resumes with its cursor at a process that has not yet received the events
// that another one gave the client, without a snapshot and without repetition.
func TestACursorOfAnotherProcessIsKnownToOneThatIsBehind(t *testing.T) {
	t.Parallel()
	at := venue{servers: sharedServers(t)}
	first, behind := at.open(t, 0), at.open(t, 0)
	filter := Filter{UserID: "u", ConversationID: "c"}
	seen := subscribe(t, first, filter, Start{})
	behind.backend.hub.consume.Stop()
	publish(t, first, "r", 0, 3)
	_, cursors := read(t, seen, 3)

	for _, cursor := range cursors {
		if begun := subscribe(t, behind, filter, Start{After: cursor}).Begun(); begun != cursor {
			t.Errorf("it goes on at %s, want %s", begun, cursor)
		}
	}
	future := first.backend.cursor(place{seq: first.backend.last.Load() + 100})
	if _, err := behind.Subscribe(t.Context(), filter, Start{After: future}); !errors.Is(err, ErrUnknownCursor) {
		t.Errorf("a cursor that nobody gave: %v", err)
	}
}

// GR3: a server that leads since a moment ago may not have read all that is stored: a cursor
// that it does not know yet is waited for.
func TestACursorThatTheServersDoNotKnowYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	at := venue{servers: sharedServers(t)}
	log := at.open(t, 0)
	filter := Filter{UserID: "u", ConversationID: "c"}
	publish(t, log, "r", 0, 1)
	last := subscribe(t, log, filter, Start{}).backend.last.Load()
	done := make(chan error, 1)
	go func() {
		sub, err := log.Subscribe(t.Context(), filter, Start{After: log.backend.cursor(place{seq: last + 2})})
		if err == nil {
			sub.Close()
		}
		done <- err
	}()
	for before := log.Messages(); log.Messages() < before+4; { // it has asked, and was answered
		runtime.Gosched()
	}
	publish(t, log, "r", 1, 2)
	if err := <-done; err != nil {
		t.Errorf("the cursor is unknown: %v", err)
	}
}

package eventlog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// CH2: a client that is cut between two events of one message resumes between them,
// whether it saw the message live or stored.
func TestASubscriptionResumesWithinAMessageOfSeveralEvents(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir(), 0)
	filter := Filter{UserID: "u", ConversationID: "c"}
	subject := EventSubject("u", "c", "r")
	send := func(events ...string) {
		m := Message{Subject: subject, Data: []byte(events[0])}
		for _, event := range events[1:] {
			if !m.Join(subject, []byte(event)) {
				t.Fatalf("%q was not joined", event)
			}
		}
		if err := l.Publish(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	early := subscribe(t, l, filter, Start{})
	send("a", "b", "c")
	read(t, early, 3) // live subscriptions begin behind them from here on
	stored := subscribe(t, l, filter, Start{Beginning: true})
	live := subscribe(t, l, filter, Start{})
	send("d")
	send("e", "f")
	send("g", "h", "i")
	want := strings.Split("abcdefghi", "")
	all, cursors := read(t, stored, len(want))
	if !slices.Equal(all, want) {
		t.Fatalf("stored: %v", all)
	}
	if got, seen := read(t, live, 6); !slices.Equal(got, want[3:]) || !slices.Equal(seen, cursors[3:]) {
		t.Fatalf("live: %v at %v, want the cursors %v", got, seen, cursors[3:])
	}
	for cut := range cursors {
		resumed := subscribe(t, l, filter, Start{After: cursors[cut]})
		if begun := resumed.Begun(); begun != cursors[cut] {
			t.Errorf("behind event %d it begins at %s, want %s", cut, begun, cursors[cut])
		}
		if rest, _ := read(t, resumed, len(all)-cut-1); !slices.Equal(rest, all[cut+1:]) {
			t.Fatalf("resumed behind event %d: %v, want %v", cut, rest, all[cut+1:])
		}
	}
	if rest, _ := read(t, subscribe(t, l, filter, Start{After: cursors[2] + ".99"}), 1); rest[0] != "d" {
		t.Errorf("behind more events than the first message has follows %v", rest)
	}
	epoch, _, _ := strings.Cut(cursors[0], "-")
	for _, cursor := range []string{"-99.1", "-1.0", "-1.-1", "-1.x", "-1.", "-0.1", "-18446744073709551615"} {
		_, err := l.Subscribe(t.Context(), filter, Start{After: epoch + cursor})
		if !errors.Is(err, ErrUnknownCursor) {
			t.Errorf("cursor %s: %v, want ErrUnknownCursor", cursor, err)
		}
	}
}

// Work messages, other subjects and large events stay messages of their own.
func TestAMessageIsJoinedOnlyWithSmallEventsOfItsSubject(t *testing.T) {
	t.Parallel()
	m := Message{Subject: EventSubject("u", "c", "r"), Data: []byte("a")}
	if m.Join(EventSubject("u", "c", "other"), []byte("b")) {
		t.Error("an event of another run was joined")
	}
	if m.Join(m.Subject, make([]byte, maxJoined)) || string(m.Data) != "a" {
		t.Error("a large event was joined")
	}
	work := Message{Subject: WorkSubject, Data: []byte("a")}
	if work.Join(WorkSubject, []byte("b")) {
		t.Error("two work messages were joined")
	}
}

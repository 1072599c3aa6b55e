package runs

import (
	"testing"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
)

// What a transaction tells of one run is one message; a work message and what another
// run has to say stand for themselves, and the order stays.
func TestTheEventsOfATransactionAreOneMessageForEachRun(t *testing.T) {
	t.Parallel()
	one, other := eventlog.EventSubject("u", "c", "one"), eventlog.EventSubject("u", "c", "other")
	rows := joined([]*models.Outbox{
		{Subject: one, MessageID: "1", Payload: []byte("a")},
		{Subject: one, MessageID: "2", Payload: []byte("b")},
		{Subject: other, MessageID: "3", Payload: []byte("c")},
		{Subject: eventlog.WorkSubject, MessageID: "4", Payload: []byte("w")},
		{Subject: eventlog.WorkSubject, MessageID: "5", Payload: []byte("v")},
	})
	var got []string
	for _, row := range rows {
		got = append(got, row.MessageID+" "+string(row.Payload))
	}
	want := []string{"1 a\nb", "3 c", "4 w", "5 v"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
}

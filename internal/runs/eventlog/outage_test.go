package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/runs/eventlog/natstest"
)

func startCluster(t *testing.T) (*natstest.Cluster, *Log) {
	t.Helper()
	cluster, err := natstest.Start(t.TempDir(), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	l, err := Open(t.Context(), Options{Servers: &Servers{URLs: cluster.URLs(), Prefix: "nanoclaw"},
		Check: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return cluster, l
}

// GR2, GR9: while a cluster loses its leader publishing waits, and nobody sees a gap, a
// repetition or another order: neither who watched all the time, nor who resumes.
func TestEventsKeepTheirOrderWhenAClusterLosesItsLeader(t *testing.T) {
	t.Parallel()
	cluster, l := startCluster(t)
	watcher := subscribe(t, l, Filter{UserID: "u"}, Start{})
	const n = 60
	for i := range n {
		if i == n/3 {
			cluster.Kill(cluster.Leader(t, "nanoclaw-EVENTS"))
		}
		if err := l.Publish(t.Context(), Message{Subject: EventSubject("u", "c", "r"),
			Data: fmt.Appendf(nil, "r%d", i)}); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	var live []string
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cursor := ""
	for len(live) < n {
		event, err := watcher.Next(ctx)
		if err != nil {
			t.Fatalf("after %d events: %v", len(live), err)
		}
		live = append(live, string(event.Data))
		if cursor == "" {
			cursor = event.Cursor
		}
	}
	if !slices.Equal(live, numbered("r", 0, n)) {
		t.Errorf("who watched saw %v", live)
	}
	resumed := subscribe(t, l, Filter{UserID: "u"}, Start{After: cursor})
	if got, _ := read(t, resumed, n-1); !slices.Equal(got, numbered("r", 1, n)) {
		t.Errorf("who resumed saw %v", got)
	}
	if l.Reopened() != 0 {
		t.Errorf("the event log was opened %d times again, and streams were cut", l.Reopened())
	}
}

// GR9: without a majority nothing is stored and nothing says so; once the servers are
// back everything works again by itself, and old cursors hold.
func TestAClusterWithoutAMajorityIsWaitedFor(t *testing.T) {
	t.Parallel()
	cluster, l := startCluster(t)
	publish(t, l, "r", 0, 3)
	cursor := l.Cursor()
	for i := range 3 {
		cluster.Kill(i)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := l.Publish(short, Message{Subject: EventSubject("u", "c", "r"), ID: "lost", Data: []byte("r3")})
	var down *DownError
	if !errors.As(err, &down) || down.ErrorCode() != "unavailable" {
		t.Fatalf("publishing without servers: %v", err)
	}
	if err := l.Ready(t.Context()); err == nil {
		t.Error("it says that it is ready")
	}
	for i := range 3 {
		if err := cluster.Run(i); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for l.Publish(ctx, Message{Subject: EventSubject("u", "c", "r"), ID: "lost", Data: []byte("r3")}) != nil {
		if ctx.Err() != nil {
			t.Fatal("the servers are back, and nothing can be published")
		}
	}
	sub := subscribe(t, l, Filter{UserID: "u"}, Start{After: cursor})
	if got, _ := read(t, sub, 1); got[0] != "r3" {
		t.Errorf("got %v", got)
	}
	works(t, l, "again")
}

// GR2: installations with different prefixes share servers and see nothing of each other.
func TestTwoInstallationsShareServersByPrefix(t *testing.T) {
	t.Parallel()
	a, b := venue{servers: sharedServers(t)}.open(t, 0), venue{servers: sharedServers(t)}.open(t, 0)
	publish(t, b, "other", 0, 3)
	publish(t, a, "r", 0, 3)
	sub := subscribe(t, a, Filter{}, Start{Beginning: true})
	got, _ := read(t, sub, 4)
	if !slices.Equal(got[1:], numbered("r", 0, 3)) { // the first is what opening wrote
		t.Errorf("got %v", got)
	}
	works(t, a, "a")
	works(t, b, "b")
}

package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// venue is where an event log is kept: in a folder, or at servers under a prefix.
type venue struct {
	dir     string
	servers *Servers
}

func (p venue) open(t *testing.T, buffer int) *Log {
	t.Helper()
	l, err := Open(t.Context(), Options{Dir: p.dir, Servers: p.servers, Buffer: buffer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func open(t *testing.T, dir string, buffer int) *Log {
	t.Helper()
	return venue{dir: dir}.open(t, buffer)
}

// everywhere runs a test with NATS in this process and with a cluster of three
// servers elsewhere: GR2. newPlace makes an event log of its own.
func everywhere(t *testing.T, test func(t *testing.T, newPlace func() venue)) {
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		test(t, func() venue { return venue{dir: t.TempDir()} })
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		test(t, func() venue { return venue{servers: sharedServers(t)} })
	})
}

func publish(t *testing.T, l *Log, run string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		err := l.Publish(t.Context(), Message{Subject: EventSubject("u", "c", run), Data: fmt.Appendf(nil, "%s%d", run,
			i)})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// read takes n events and returns their texts and cursors.
func read(t *testing.T, sub *Subscription, n int) (texts, cursors []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range n {
		event, err := sub.Next(ctx)
		if err != nil {
			t.Fatalf("after %v: %v", texts, err)
		}
		texts = append(texts, string(event.Data))
		cursors = append(cursors, event.Cursor)
	}
	return texts, cursors
}

func subscribe(t *testing.T, l *Log, filter Filter, start Start) *Subscription {
	t.Helper()
	sub, err := l.Subscribe(t.Context(), filter, start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub
}

func numbered(run string, from, to int) []string {
	var want []string
	for i := from; i < to; i++ {
		want = append(want, fmt.Sprintf("%s%d", run, i))
	}
	return want
}

// CH2: a client that is cut anywhere and resumes behind its cursor sees exactly
// what one that was never cut sees.
func TestASubscriptionResumesBehindAnyCursorWithoutGapOrRepetition(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		l := newPlace().open(t, 0)
		const n = 40
		publish(t, l, "r", 0, n/2)
		whole := subscribe(t, l, Filter{UserID: "u", ConversationID: "c"}, Start{Beginning: true})
		publish(t, l, "other", 0, 3)
		publish(t, l, "r", n/2, n)
		all, cursors := read(t, whole, n+3)
		for cut := range cursors {
			resumed := subscribe(t, l, Filter{UserID: "u", ConversationID: "c"}, Start{After: cursors[cut]})
			rest, _ := read(t, resumed, len(all)-cut-1)
			if !slices.Equal(rest, all[cut+1:]) {
				t.Fatalf("resumed behind event %d: %v, want %v", cut, rest, all[cut+1:])
			}
		}
	})
}

func TestASubscriptionSeesOnlyItsRunAndItsUser(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		l := newPlace().open(t, 0)
		run := subscribe(t, l, Filter{UserID: "u", ConversationID: "c", RunID: "r"}, Start{})
		publish(t, l, "other", 0, 5)
		if err := l.Publish(t.Context(), Message{Subject: EventSubject("stranger", "c2", "x"),
			Data: []byte("secret")}); err != nil {
			t.Fatal(err)
		}
		publish(t, l, "r", 0, 3)
		if got, _ := read(t, run, 3); !slices.Equal(got, numbered("r", 0, 3)) {
			t.Fatalf("got %v", got)
		}
	})
}

func TestAMessageIDIsStoredOnce(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		l := newPlace().open(t, 0)
		subject := EventSubject("u", "c", "r")
		for range 3 {
			if err := l.Publish(t.Context(), Message{Subject: subject, ID: "one", Data: []byte("first")}); err != nil {
				t.Fatal(err)
			}
		}
		publish(t, l, "r", 1, 2)
		sub := subscribe(t, l, Filter{UserID: "u"}, Start{Beginning: true})
		if got, _ := read(t, sub, 2); !slices.Equal(got, []string{"first", "r1"}) {
			t.Fatalf("got %v", got)
		}
		stored, err := l.Stored(t.Context(), subject, 1, 100)
		if err != nil || !stored["one"] {
			t.Fatalf("Stored = %v, %v", stored, err)
		}
	})
}

func TestASlowSubscriberIsEndedAndMayResume(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		l := newPlace().open(t, 4)
		slow := subscribe(t, l, Filter{UserID: "u"}, Start{})
		publish(t, l, "r", 0, 1)
		_, cursors := read(t, slow, 1)
		publish(t, l, "r", 1, 30)
		<-slow.done
		// Whoever resumes may be too slow again, but has got on, and misses nothing.
		got := []string{"r0"}
		for sub := slow; ; sub = subscribe(t, l, Filter{UserID: "u"}, Start{After: cursors[len(cursors)-1]}) {
			before := len(got)
			for len(got) < 30 {
				event, err := sub.Next(t.Context())
				if errors.Is(err, ErrSlow) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got, cursors = append(got, string(event.Data)), append(cursors, event.Cursor)
			}
			switch {
			case sub == slow && len(got) == 30:
				t.Fatal("the slow subscriber was never ended")
			case len(got) == 30:
				if !slices.Equal(got, numbered("r", 0, 30)) {
					t.Fatalf("got %v", got)
				}
				return
			case sub != slow && len(got) == before:
				t.Fatalf("resumed after %v and got nothing", got)
			}
		}
	})
}

func TestEventsOutliveARestartAndACursorOfAnotherStreamIsUnknown(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		a, b := newPlace(), newPlace()
		first := a.open(t, 0)
		publish(t, first, "r", 0, 5)
		sub := subscribe(t, first, Filter{UserID: "u"}, Start{Beginning: true})
		_, cursors := read(t, sub, 5)
		first.Close()

		again := a.open(t, 0)
		rest := subscribe(t, again, Filter{UserID: "u"}, Start{After: cursors[1]})
		if got, _ := read(t, rest, 3); !slices.Equal(got, numbered("r", 2, 5)) {
			t.Fatalf("after a restart: %v", got)
		}
		other := b.open(t, 0)
		publish(t, other, "r", 0, 9)
		for _, cursor := range []string{cursors[1], "x", "-", again.backend.epoch + "-99999"} {
			if _, err := other.Subscribe(t.Context(), Filter{UserID: "u"}, Start{After: cursor}); !errors.Is(err,
				ErrUnknownCursor) {
				t.Errorf("cursor %q: %v, want ErrUnknownCursor", cursor, err)
			}
		}
	})
}

func TestAJobThatWasNotDoneComesAgain(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		l := newPlace().open(t, 0)
		if err := l.Publish(t.Context(), Message{Subject: WorkSubject, ID: "r/1", Data: []byte("job")}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		times := 0
		acquire := func(ctx context.Context) func() {
			if ctx.Err() != nil {
				return nil
			}
			return func() {}
		}
		l.Work(ctx, 20*time.Millisecond, acquire, func(job Job, release func()) {
			defer release()
			if times++; times == 2 {
				job.Done()
				cancel()
			}
		})
		if times != 2 {
			t.Fatalf("the job came %d times", times)
		}
	})
}

func BenchmarkPublish(b *testing.B) {
	l, err := Open(b.Context(), Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	data := make([]byte, 300)
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Publish(b.Context(), Message{Subject: EventSubject("u", "c", "r"), Data: data}); err != nil {
			b.Fatal(err)
		}
	}
}

// CH4: what the first subscriber reads of a live event is read once for all of them.
func TestALiveEventIsDecodedOnceForAllSubscribers(t *testing.T) {
	l := open(t, t.TempDir(), 0)
	var subs []*Subscription
	for range 3 {
		sub, err := l.Subscribe(t.Context(), Filter{UserID: "u", ConversationID: "c"}, Start{})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		subs = append(subs, sub)
	}
	if err := l.Publish(t.Context(), Message{Subject: EventSubject("u", "c", "r"), Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	times := 0
	for _, sub := range subs {
		event, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		value, err := event.Decode(func(data []byte) (any, error) {
			times++
			return string(data), nil
		})
		if value != "x" || err != nil {
			t.Errorf("it reads %v, %v", value, err)
		}
	}
	if times != 1 {
		t.Errorf("it was decoded %d times", times)
	}
}

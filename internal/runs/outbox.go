package runs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
)

// checkpointTimeout bounds a checkpoint that is stored whatever became of its run's
// context. It is long: a busy database is waited for, and does not fail a run.
const checkpointTimeout = 2 * time.Minute

const (
	sendTimeout  = 30 * time.Second // longer than the event log waits for a new leader
	forgetEvery  = 250 * time.Millisecond
	resendAfter  = 10 * time.Second // a row that is older and still there was not sent
	resendBatch  = 1000
	lookBackOver = 20000 // events of one run that are searched for a repeated id
)

// sentRows are outbox rows that were sent and wait to be deleted, many at once.
type sentRows struct {
	mu  sync.Mutex
	ids []int64
	// behind: a row could not be sent. What follows waits in the database behind it.
	behind atomic.Bool
}

func (r *sentRows) add(ids ...int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, ids...)
}

func (r *sentRows) take() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.ids
	r.ids = nil
	return ids
}

// send publishes what a transaction wrote. When that fails the rows stay and are
// sent later, in order.
func (s *Service) send(rows []*models.Outbox) {
	if len(rows) == 0 || s.sent.behind.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	if err := s.publish(ctx, messagesOf(rows)); err != nil {
		if s.sent.behind.CompareAndSwap(false, true) {
			s.Logger.Warn("events are kept and will be sent later", "count", len(rows), "error", err)
		}
		return
	}
	fault.Point("sent")
	for _, row := range rows {
		s.sent.add(row.ID)
	}
}

func messagesOf(rows []*models.Outbox) []eventlog.Message {
	messages := make([]eventlog.Message, len(rows))
	for i, row := range rows {
		messages[i] = eventlog.Message{Subject: row.Subject, ID: row.MessageID, Data: row.Payload}
	}
	return messages
}

// forgetSent deletes the rows that were sent. A crash before it sends them again
// under the same id, which the event log drops.
func (s *Service) forgetSent(ctx context.Context) {
	ids := s.sent.take()
	for len(ids) > 0 {
		n := min(len(ids), 500)
		if err := s.Store.DeleteOutbox(ctx, ids[:n]); err != nil {
			s.sent.add(ids...)
			if !passing(err) && ctx.Err() == nil {
				s.Logger.Warn("sent events could not be deleted from the outbox", "error", err)
			}
			return
		}
		ids = ids[n:]
	}
}

// catchUp sends what was left behind, when there is something.
func (s *Service) catchUp(ctx context.Context) {
	if !s.sent.behind.Load() {
		return
	}
	err := s.resend(ctx, now())
	if err == nil {
		// What was written until now waits; what is written from now on is sent at once.
		s.sent.behind.Store(false)
		err = s.resend(ctx, now())
	}
	if err != nil {
		s.sent.behind.Store(true)
		if !passing(err) && ctx.Err() == nil {
			s.Logger.Warn("unsent events are still kept", "error", err)
		}
	}
}

// resend sends all rows that were written before the moment and perhaps never
// sent. A row that can never be sent is replaced and does not stop the others.
func (s *Service) resend(ctx context.Context, before models.Time) error {
	for {
		s.forgetSent(ctx)
		rows, err := s.Store.PendingOutbox(ctx, before, resendBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		stored := map[string]map[string]bool{}
		for _, row := range rows {
			m := messagesOf([]*models.Outbox{row})[0]
			valid := eventlog.Message{Subject: m.Subject}.Check() == nil
			if valid && m.Subject != eventlog.WorkSubject && stored[m.Subject] == nil {
				if stored[m.Subject], err = s.Log.Stored(ctx, m.Subject, 1, lookBackOver); err != nil {
					return err
				}
			}
			if !stored[m.Subject][m.ID] {
				if err := s.publish(ctx, []eventlog.Message{m}); err != nil {
					return err
				}
			}
			s.sent.add(row.ID)
		}
		if s.forgetSent(ctx); len(rows) < resendBatch {
			return nil
		}
	}
}

// Unsendable is how many events could not be sent and were replaced.
func (s *Service) Unsendable() int64 { return s.unsendable.Load() }

// OutboxWaits says since when the oldest unsent event waits, where that is longer
// than a working event log takes; zero: none does.
func (s *Service) OutboxWaits(ctx context.Context) (since time.Time, err error) {
	rows, err := s.Store.PendingOutbox(ctx, models.TimeOf(time.Now().Add(-resendAfter)), 1)
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return rows[0].CreatedAt.Std(), nil
}

package runs

import (
	"context"
	"sync"
	"time"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
)

const (
	sendTimeout  = 5 * time.Second
	forgetEvery  = 250 * time.Millisecond
	resendAfter  = 10 * time.Second // a row that is older and still there was not sent
	resendBatch  = 1000
	lookBackOver = 20000 // events of one run that are searched for a repeated id
)

// sentRows are outbox rows that were sent and wait to be deleted, many at once.
type sentRows struct {
	mu  sync.Mutex
	ids []int64
}

func (r *sentRows) add(rows []*models.Outbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range rows {
		r.ids = append(r.ids, row.ID)
	}
}

func (r *sentRows) take() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.ids
	r.ids = nil
	return ids
}

// send publishes what a transaction wrote. When that fails the rows stay and are
// sent later.
func (s *Service) send(rows []*models.Outbox) {
	if len(rows) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	if err := s.Log.Publish(ctx, messagesOf(rows)...); err != nil {
		s.Logger.Warn("events are kept and will be sent later", "count", len(rows), "error", err)
		return
	}
	fault.Point("sent")
	s.sent.add(rows)
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
			s.Logger.Warn("sent events could not be deleted from the outbox", "error", err)
		}
		ids = ids[n:]
	}
}

// resendOutbox sends at the start what a process that died may not have sent.
func (s *Service) resendOutbox(ctx context.Context) error {
	return s.resend(ctx, now())
}

func (s *Service) resend(ctx context.Context, before models.Time) error {
	rows, err := s.Store.PendingOutbox(ctx, before, resendBatch)
	if err != nil || len(rows) == 0 {
		return err
	}
	stored := map[string]map[string]bool{}
	for _, row := range rows {
		if row.Subject != eventlog.WorkSubject && stored[row.Subject] == nil {
			if stored[row.Subject], err = s.Log.Stored(ctx, row.Subject, 1, lookBackOver); err != nil {
				return err
			}
		}
		if !stored[row.Subject][row.MessageID] {
			if err := s.Log.Publish(ctx, messagesOf([]*models.Outbox{row})...); err != nil {
				return err
			}
		}
		s.sent.add([]*models.Outbox{row})
	}
	s.forgetSent(ctx)
	return nil
}

package app

import (
	"context"
	"fmt"
	"time"

	"nanoclaw/internal/api"
)

// Ready says by name what works of that which every request and run needs: the
// database takes writes, the event log stores events, workers wait for work, and
// events do not pile up.
func (a *App) Ready(ctx context.Context) []api.Check {
	return []api.Check{
		{Name: "database", Err: a.Store.Writable(ctx)},
		{Name: "event_log", Err: a.eventLogReady(ctx)},
		{Name: "workers", Err: a.log.Subscribed()},
		{Name: "outbox", Err: a.outboxMoves(ctx)},
	}
}

func (a *App) outboxMoves(ctx context.Context) error {
	since, err := a.Runs.OutboxWaits(ctx)
	if err == nil && !since.IsZero() {
		err = fmt.Errorf("events wait to be sent since %s", since.UTC().Format(time.RFC3339))
	}
	return err
}

package app

import (
	"context"

	"nanoclaw/internal/notify"
	"nanoclaw/internal/store"
)

// newForwarder is what sends events to the webhook.
func (a *App) newForwarder() *notify.Forwarder {
	options := notify.Options{
		Live: a.Live, Log: a.log, Resolve: a.Runs.Resolve, Redact: a.Redactor.String, Logger: a.Logger,
		Count: a.metrics.Notification,
	}
	if a.Store.Shared() { // whoever delivers next goes on where this process stopped
		lease := a.once("notifications")
		options.Once, options.Cursor = lease.Run, leaseCursor{lease}
	}
	return notify.New(options)
}

// leaseCursor keeps the webhook's cursor beside the lease of the deliveries.
type leaseCursor struct{ lease store.Lease }

func (c leaseCursor) Load(ctx context.Context) (string, error) {
	return c.lease.Store.LeaseNote(ctx, c.lease.Name)
}

func (c leaseCursor) Save(ctx context.Context, cursor string) error {
	return c.lease.Store.SetLeaseNote(ctx, c.lease.Name, c.lease.Owner, cursor)
}

package app

import "nanoclaw/internal/notify"

// newForwarder is what sends events to the webhook.
func (a *App) newForwarder() *notify.Forwarder {
	return notify.New(notify.Options{
		Live: a.Live, Log: a.log, Resolve: a.Runs.Resolve, Redact: a.Redactor.String, Logger: a.Logger,
		Count: a.metrics.Notification,
	})
}

package app

import (
	"context"
	"errors"
	"time"
)

// Servers that share a database have to share the event log, too: else a run's events
// reach only the clients of the server that works on it. The lease eventLogLease belongs to
// the event log, not to a server: all servers that use it extend it.
const (
	eventLogLease = "event_log"
	eventLogTTL   = 6 * time.Second
)

// errOtherEventLog says that another server works on the database with another event log.
var errOtherEventLog = errors.New("another server works on this database with another event log: servers that share " +
	"a database need the same NATS servers (nats.url) and the same nats.prefix; change the configuration, or stop " +
	"the other server")

// claimEventLog returns errOtherEventLog where another server uses another event log. One
// that has ended is forgotten within eventLogTTL, which is waited for.
func (a *App) claimEventLog(ctx context.Context) error {
	if !a.Store.Shared() {
		return nil
	}
	tick := time.NewTicker(eventLogTTL / 6)
	defer tick.Stop()
	for end := time.Now().Add(eventLogTTL + eventLogTTL/6); ; {
		mine, err := a.Store.TakeLease(ctx, eventLogLease, a.log.Identity(), eventLogTTL)
		switch {
		case err != nil:
			return err
		case mine:
			return nil
		case time.Now().After(end):
			return errOtherEventLog
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// holdEventLog extends the lease until ctx ends, and notes for Ready where it cannot.
func (a *App) holdEventLog(ctx context.Context) {
	if !a.Store.Shared() {
		return
	}
	tick := time.NewTicker(eventLogTTL / 3)
	defer tick.Stop()
	held := time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			a.dropEventLog()
			return
		}
		identity := a.log.Identity()
		if identity == "" {
			continue // NATS is down
		}
		mine, err := a.Store.TakeLease(ctx, eventLogLease, identity, eventLogTTL)
		if err != nil {
			continue // the database is away: Ready says so
		}
		if mine {
			held = time.Now()
		}
		// Streams that were made anew are another event log, which servers notice one by one.
		foreign := time.Since(held) > 2*eventLogTTL
		if was := a.foreignEventLog.Swap(foreign); foreign && !was {
			a.Logger.Error("the event log is not the one of the other servers", "error", errOtherEventLog)
		}
	}
}

// dropEventLog lets the next server begin at once with an event log of its own. Servers
// elsewhere are still used by others, perhaps.
func (a *App) dropEventLog() {
	if a.Live.Current().NATS.URL != "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventLogTTL/3)
	defer cancel()
	if err := a.Store.DropLease(ctx, eventLogLease, a.log.Identity()); err != nil {
		a.Logger.Debug("the lease of the event log ends by itself", "error", err)
	}
}

// eventLogReady says whether events can be stored where all servers find them.
func (a *App) eventLogReady(ctx context.Context) error {
	if a.foreignEventLog.Load() {
		return errOtherEventLog
	}
	return a.log.Ready(ctx)
}

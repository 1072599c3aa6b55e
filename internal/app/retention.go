package app

import (
	"context"
	"time"

	"nanoclaw/internal/models"
)

const (
	purgeEvery = time.Hour
	// uploadsKept is how long a file is kept that was sent and never used.
	uploadsKept = 24 * time.Hour
)

// runRetention removes what is older than the configuration keeps, now and every
// hour, until ctx ends.
func (a *App) runRetention(ctx context.Context) {
	tick := time.NewTicker(purgeEvery)
	defer tick.Stop()
	for {
		a.purge(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) purge(ctx context.Context) {
	kept := a.Live.Current().Retention
	now := time.Now()
	for _, task := range []struct {
		what  string
		keep  time.Duration // 0: for ever
		purge func(context.Context, models.Time) (int64, error)
	}{
		{"steps of ended runs", kept.Steps.Std(), a.Store.PurgeSteps},
		{"changes of ended runs", kept.Steps.Std(), a.forgetChanges},
		{"outputs of tools", kept.Steps.Std(), a.sweepOutputs},
		{"hidden conversations", kept.Hidden.Std(), a.Store.PurgeHidden},
		{"firings of triggers", kept.Firings.Std(), a.Store.PurgeFirings},
		{"trash", a.Live.Current().Workspace.TrashRetention.Std(), a.sweepTrash},
		{"large events", kept.Events.Std(), a.Store.PurgeEventBodies},
		{"audit lines", kept.Audit.Std(), a.Store.PurgeAudit},
		{"unused uploads", uploadsKept, a.Store.PurgeUploads},
		{"sessions and links that have expired", time.Nanosecond, a.Store.PurgeAccounts},
		{"notes of what was deleted", deletionsKept, a.Store.PurgeDeletions},
		{"idempotency keys", time.Nanosecond, a.Store.PurgeIdempotency},
	} {
		if task.keep <= 0 {
			continue
		}
		removed, err := task.purge(ctx, models.TimeOf(now.Add(-task.keep)))
		switch {
		case err != nil && ctx.Err() == nil:
			a.Logger.Error("old data could not be removed", "what", task.what, "error", err)
		case removed > 0:
			a.Logger.Info("old data was removed", "what", task.what, "count", removed)
		}
	}
}

// sweepOutputs deletes long outputs of tools with the steps that they belong to.
func (a *App) sweepOutputs(ctx context.Context, olderThan models.Time) (int64, error) {
	return a.Projects.SweepOutputs(ctx, olderThan.Std())
}

// sweepTrash deletes what lies in the trash for longer than it is kept.
func (a *App) sweepTrash(ctx context.Context, olderThan models.Time) (int64, error) {
	return a.Projects.SweepTrash(ctx, olderThan.Std())
}

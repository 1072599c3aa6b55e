package sandboxed

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// sandbox is one sandbox in the hands of this process: acquired, used, stored, released.
type sandbox struct {
	all   *Sandboxes
	ns    remote.Namespace
	id    string
	dir   string        // with what stateFile and keptDirs say
	ready chan struct{} // closed when it was acquired, or that failed
	gone  chan struct{} // closed when this process has it no more

	// Set before ready is closed.
	failed error
	files  *Files

	storing sync.Mutex // held by who stores or releases
	states  *remote.States
	local   local
	stored  string // fingerprint of what the newest state holds; empty: not known

	mu        sync.Mutex
	users     map[<-chan struct{}]bool // ends of the contexts that use it
	used      time.Time                // last
	unstored  bool                     // it was used since it was stored
	renewed   time.Time
	releasing bool
}

// quiet is how long a sandbox is unused before it is stored.
const quiet = 20 * time.Second

// leaseName is the name of its lease.
func (sb *sandbox) leaseName() string { return leaseName(sb.id) }

func leaseName(id string) string { return "sandbox " + id }

// acquire takes the lease and makes the directory what the newest snapshot says.
func (sb *sandbox) acquire(ctx context.Context, o workspace.Opening) error {
	store, err := sb.all.Store(ctx)
	if err != nil {
		return err
	}
	if err := sb.lease(ctx); err != nil {
		return err
	}
	if err := sb.prepare(ctx, store, o); err != nil {
		return errors.Join(err, sb.all.Leases.Drop(context.WithoutCancel(ctx), sb.leaseName()))
	}
	files := workspace.NewLocal(filepath.Join(sb.dir, rootDir), o.Limits).
		WithTrash(filepath.Join(sb.dir, trashDir)).WithOutputs(filepath.Join(sb.dir, outputsDir))
	sb.files = &Files{Local: files, id: sb.id, home: filepath.Join(sb.dir, homeDir), execute: sb.all.Execute}
	return nil
}

// lease waits for the sandbox.
func (sb *sandbox) lease(ctx context.Context) error {
	until := time.Now().Add(sb.all.Settings().Wait)
	for {
		sb.renewed = time.Now().Round(0)
		taken, err := sb.all.Leases.Take(ctx, sb.leaseName())
		if err != nil || taken {
			return err
		}
		if !time.Now().Before(until) {
			return workspace.Errorf(workspace.CodeUnavailable, "",
				"the sandbox with these files is in use on another server: try again when what runs there has ended")
		}
		if err := sb.all.Leases.Want(ctx, sb.leaseName()); err != nil {
			return err
		}
		select {
		case <-time.After(min(sb.all.TTL/10, time.Until(until)+time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// use notes that a context uses the sandbox; false: it is being released.
func (sb *sandbox) use(ctx context.Context) bool {
	sb.mu.Lock()
	defer sb.mu.Unlock()
	if sb.releasing {
		return false
	}
	sb.used, sb.unstored = time.Now(), true
	end := ctx.Done()
	if end == nil || sb.users[end] {
		return true
	}
	sb.users[end] = true
	context.AfterFunc(ctx, func() {
		sb.mu.Lock()
		defer sb.mu.Unlock()
		delete(sb.users, end)
		sb.used = time.Now()
	})
	return true
}

// idle is how long nobody has used the sandbox at a moment; 0: somebody does.
func (sb *sandbox) idle(now time.Time) (idle time.Duration, unstored bool) {
	sb.mu.Lock()
	defer sb.mu.Unlock()
	if len(sb.users) > 0 {
		return 0, sb.unstored
	}
	return now.Sub(sb.used), sb.unstored
}

// tend renews the lease, and stores or releases what is due.
func (sb *sandbox) tend(ctx context.Context, now time.Time) {
	if !sb.renew(ctx) {
		sb.lose(ctx)
		return
	}
	if !sb.storing.TryLock() {
		return // an earlier round does it
	}
	defer sb.storing.Unlock()
	idle, unstored := sb.idle(now)
	if idle <= 0 {
		return
	}
	wanted, err := sb.all.Leases.Wanted(ctx, sb.leaseName())
	if err != nil {
		sb.log("it is not known whether another process waits for a sandbox", err)
	}
	switch {
	case wanted || idle >= sb.all.Settings().IdleTimeout:
		if sb.close(true) {
			sb.finish(ctx)
		}
	case unstored && idle >= quiet:
		err := sb.persist(ctx)
		if errors.Is(err, remote.ErrReplaced) {
			sb.lose(ctx)
		} else if err != nil {
			sb.log("a sandbox could not be stored", err)
		}
	}
}

// renew extends the lease; false: another process may have the sandbox.
func (sb *sandbox) renew(ctx context.Context) bool {
	began := time.Now().Round(0) // a suspended machine's other clock stands still
	sb.mu.Lock()
	expired := began.Sub(sb.renewed) >= sb.all.TTL
	sb.mu.Unlock()
	if expired {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, sb.all.TTL/3)
	defer cancel()
	taken, err := sb.all.Leases.Take(limited, sb.leaseName())
	sb.mu.Lock()
	defer sb.mu.Unlock()
	switch {
	case taken:
		sb.renewed = began
	case err != nil:
		sb.all.Logger.Warn("the lease of a sandbox could not be renewed", "sandbox", sb.id, "error", err)
		return true
	}
	return taken || sb.releasing
}

// close makes the sandbox one that nobody can use any more; false: it was that already,
// or somebody uses it and it was to be closed only when it is idle.
func (sb *sandbox) close(idle bool) bool {
	sb.mu.Lock()
	defer sb.mu.Unlock()
	if sb.releasing || idle && len(sb.users) > 0 {
		return false
	}
	sb.releasing = true
	return true
}

// release stores the sandbox and lets others have it, whoever uses it.
func (sb *sandbox) release(ctx context.Context) {
	sb.storing.Lock()
	defer sb.storing.Unlock()
	if sb.close(false) {
		sb.finish(ctx)
	}
}

// finish stores a closed sandbox and ends its lease. The caller holds storing.
func (sb *sandbox) finish(ctx context.Context) {
	defer sb.all.forget(sb)
	if err := sb.all.End(ctx, sb.files.Dir()); err != nil {
		sb.log("commands in a sandbox did not end", err)
	}
	sb.sweep(ctx)
	err := sb.persist(ctx)
	if err == nil {
		err = sb.local.write(sb.dir, false)
	}
	if err != nil {
		sb.log("a sandbox could not be stored: what was changed in it is on this machine only", err)
	}
	sb.drop(ctx)
}

// sweep empties the trash of what is too old.
func (sb *sandbox) sweep(ctx context.Context) {
	before := time.Time{} // nothing but what crashes left
	if kept := sb.all.Settings().Trash; kept > 0 {
		before = time.Now().Add(-kept)
	}
	if _, err := sb.files.SweepTrash(ctx, before); err != nil {
		sb.log("the trash of a sandbox could not be swept", err)
	}
}

func (sb *sandbox) drop(ctx context.Context) {
	if err := sb.all.Leases.Drop(context.WithoutCancel(ctx), sb.leaseName()); err != nil {
		sb.log("the lease of a sandbox ends by itself only", err)
	}
}

// lose is called when another process may have the sandbox: nothing is stored. What was
// changed stays in the directory, which is put aside when it is found to be older.
func (sb *sandbox) lose(ctx context.Context) {
	if !sb.close(false) {
		return
	}
	defer sb.all.forget(sb)
	sb.log("a sandbox was lost: another process may have it now", nil)
	if err := sb.all.End(ctx, sb.files.Dir()); err != nil {
		sb.log("commands in a sandbox did not end", err)
	}
	sb.drop(ctx)
}

// abandon ends the sandbox without storing it.
func (sb *sandbox) abandon(ctx context.Context) error {
	if !sb.close(false) {
		return await(ctx, sb.gone)
	}
	defer sb.all.forget(sb)
	return errors.Join(sb.all.End(ctx, sb.files.Dir()), sb.all.Leases.Drop(ctx, sb.leaseName()))
}

func (sb *sandbox) log(what string, err error) {
	sb.all.Logger.Warn(what, "sandbox", sb.id, "error", err)
}

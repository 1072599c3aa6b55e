package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace/remote"
)

const (
	// sweepDeletedEvery is how often a server looks for files of what was deleted: those that
	// another one had at that time, or that could not be deleted then.
	sweepDeletedEvery = 10 * time.Minute
	// deletionsKept is how long a server may be away and still delete what it has of them.
	deletionsKept = 90 * 24 * time.Hour
)

// runDeleted deletes the files of what was deleted, now and every few minutes, until ctx ends.
// Every server does: each has directories of its own.
func (a *App) runDeleted(ctx context.Context) {
	tick := time.NewTicker(sweepDeletedEvery)
	defer tick.Stop()
	for {
		if err := a.sweepDeleted(ctx); err != nil && ctx.Err() == nil {
			a.Logger.Warn("files of deleted conversations, users or projects are still there: they are deleted later",
				"error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) sweepDeleted(ctx context.Context) error {
	deletions, err := a.Store.Deletions(ctx)
	if err != nil || len(deletions) == 0 {
		return err
	}
	return a.files.removeDeleted(ctx, deletions, a.Store.StillDeleted)
}

// forget deletes the files of what has just been deleted. What cannot be is logged, and left
// to sweepDeleted.
func (a *App) forget(ctx context.Context, kind, id string) {
	deletion := store.Deletion{Kind: kind, ID: id}
	err := a.files.removeDeleted(context.WithoutCancel(ctx), []store.Deletion{deletion}, a.Store.StillDeleted)
	if err != nil {
		a.Logger.Warn("files of what was deleted are still there: they are deleted later", "kind", kind, "id", id,
			"error", err)
	}
}

// removeDeleted deletes the files of what was deleted, on this machine and in the store. What
// was made anew meanwhile, with the same id, keeps them.
func (w *workspaces) removeDeleted(ctx context.Context, deletions []store.Deletion,
	still func(context.Context, store.Deletion) (bool, error)) error {
	byScope, byProject := map[string]store.Deletion{}, map[string]store.Deletion{}
	for _, d := range deletions {
		switch d.Kind {
		case store.DeletedConversation:
			byScope[sessionScope+d.ID] = d
		case store.DeletedUser:
			byScope[userScope+d.ID] = d
		case store.DeletedProject:
			byProject[d.ID] = d
		}
	}
	stored, failed := w.stored(ctx) // without it, what is on this machine goes
	here, err := w.sandboxes.Here(slices.Collect(maps.Keys(byScope)))
	failed = errors.Join(failed, err)
	seen := map[remote.Namespace]bool{}
	for _, ns := range append(here, stored...) {
		d, known := byScope[strings.TrimSuffix(ns.Scope, hiddenScope)]
		if !known || seen[ns] {
			continue
		}
		seen[ns] = true
		deleted, err := still(ctx, d)
		if err == nil && deleted {
			err = w.sandboxes.Remove(ctx, ns, func(ctx context.Context) error { return w.removeStored(ctx, ns) })
		}
		failed = errors.Join(failed, err)
	}
	for id := range byProject {
		if slices.ContainsFunc(stored, func(ns remote.Namespace) bool { return ns.Project == id }) ||
			w.sandboxes.HasProject(id) {
			failed = errors.Join(failed, w.removeProject(ctx, id))
		}
	}
	return failed
}

// stored are the namespaces that the store of shared files has anything of.
func (w *workspaces) stored(ctx context.Context) ([]remote.Namespace, error) {
	files, err := w.usedStore(ctx)
	if files == nil || err != nil {
		return nil, err
	}
	return files.Namespaces(ctx)
}

func (w *workspaces) removeStored(ctx context.Context, ns remote.Namespace) error {
	files, err := w.usedStore(ctx)
	if files == nil || err != nil {
		return err
	}
	return files.Remove(ctx, ns)
}

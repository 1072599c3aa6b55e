package accounts

import (
	"context"
	"errors"
	"sync"
)

// ErrAccessEnded is why the context of Watch ends.
var ErrAccessEnded = errors.New("the session, the token or the account has ended")

// watchers are the requests under way, which end with the right that they came by.
type watchers struct {
	mu   sync.Mutex
	last int
	open map[int]watcher
}

type watcher struct {
	identity *Identity
	cancel   context.CancelCauseFunc
}

// Watch returns a context that ends when the identity's access ends in this process. A long
// request asks Still as well, for what another process ended.
func (s *Service) Watch(ctx context.Context, i *Identity) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[int]watcher{}
	}
	w.last++
	id := w.last
	w.open[id] = watcher{i, cancel}
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, id)
		cancel(nil)
	}
}

func (w *watchers) end(which func(*Identity) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.open {
		if which(one.identity) {
			one.cancel(ErrAccessEnded)
		}
	}
}

// Still says whether the access is what it was: neither ended nor of another role.
func (s *Service) Still(ctx context.Context, i *Identity) (bool, error) {
	now, err := (*Identity)(nil), error(nil)
	if i.Session != nil {
		now, err = s.bySessionHash(ctx, i.Session.Hash)
	} else {
		now, err = s.byTokenHash(ctx, i.Token.Hash)
	}
	return now != nil && now.User.Role == i.User.Role, err
}

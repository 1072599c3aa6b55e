package api

import (
	"context"
	"io"
	"net/http"

	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Standing is what the user may use, and has used.
type Standing = runs.Standing

// standing is the user's, in auth_mode multi.
func (s *server) standing(ctx context.Context, userID string) (*Standing, error) {
	if s.Accounts == nil {
		return nil, nil
	}
	return s.Runs.StandingOf(ctx, userID)
}

// roomFor returns how many bytes the user may have, and may still upload, at most; 0 and -1: no
// limit. It fails where size are too many.
func (s *server) roomFor(ctx context.Context, size int64) (quota, room int64, err error) {
	standing, err := s.standing(ctx, currentUser(ctx))
	if err != nil || standing == nil || standing.Storage.Limit == 0 {
		return 0, -1, err
	}
	quota = standing.Storage.Limit
	room = quota - standing.Storage.Used
	if room <= 0 || size > room {
		return 0, 0, storageFull()
	}
	return quota, room, nil
}

func storageFull() error {
	return newProblem(http.StatusInsufficientStorage, store.CodeStorageQuota,
		"your uploads would take more room than your quota: delete conversations with attachments, or ask an administrator")
}

// quotaReader fails where more comes than there is room for.
type quotaReader struct {
	from io.Reader
	room int64
}

func (r *quotaReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if r.room -= int64(n); r.room < 0 {
		return 0, storageFull()
	}
	return n, err
}

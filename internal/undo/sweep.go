package undo

import (
	"context"
	"time"

	"nanoclaw/internal/models"
)

// youngVersion is how old a kept content must be before it goes where no run notes
// that it needs it: content comes first, the note of it behind.
const youngVersion = 24 * time.Hour

// Sweep forgets what runs changed that ended before olderThan, and removes the
// contents that no run needs any more. It returns the number of both.
func (s *Service) Sweep(ctx context.Context, olderThan models.Time) (int64, error) {
	rows, err := s.Store.PurgeChanges(ctx, olderThan)
	if err != nil {
		return rows, err
	}
	files, err := s.SweepVersions(ctx)
	return rows + files, err
}

// SweepVersions removes the contents that no run needs any more.
func (s *Service) SweepVersions(ctx context.Context) (int64, error) {
	return s.versions.sweep(ctx, youngVersion, s.Store.UsesVersion)
}

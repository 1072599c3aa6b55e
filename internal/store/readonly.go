package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// OpenReadOnly opens a database that is there, for reading alone, also beside the
// process that writes it. Its tables are left as they are: those of an older
// program are an error, as those of a newer one.
func OpenReadOnly(ctx context.Context, o Options) (*Store, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d, err := newDialect(o)
	if err != nil {
		return nil, err
	}
	counted := &counts{}
	readers, err := d.openReadOnly(ctx, gormLog{o.Logger, counted})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{db: readers, readers: readers, dialect: d, counts: counted,
		now: func() models.Time { return models.TimeOf(o.Now()) }}
	if err := s.upToDate(ctx, d); err != nil {
		return nil, errors.Join(err, closePool(readers))
	}
	return s, nil
}

func (s *Store) upToDate(ctx context.Context, d dialect) error {
	pending, err := s.pendingMigrations(s.db.Session(&gorm.Session{Context: ctx}), migrations(d))
	if err != nil {
		return err
	}
	if pending {
		return invalid(
			"the database is of an older version of nanoclaw: start the server once, which brings it up to date")
	}
	return nil
}

package store

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// TakeLease makes owner the one who does the work called name, for the length of ttl, or
// extends its lease. false: another owner's lease still holds. Processes compare their
// own clocks, which must not differ by a considerable part of ttl.
func (s *Store) TakeLease(ctx context.Context, name, owner string, ttl time.Duration) (taken bool, err error) {
	now := s.now()
	err = s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Exec(`INSERT INTO leases (name, owner, expires_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
			WHERE leases.owner = excluded.owner OR leases.expires_at <= ?`,
			name, owner, models.TimeOf(now.Std().Add(ttl)), now)
		taken = done.RowsAffected == 1
		return done.Error
	})
	if err != nil {
		return false, fmt.Errorf("take the lease %s: %w", name, err)
	}
	return taken, nil
}

// DropLease ends owner's lease at once; without one it does nothing.
func (s *Store) DropLease(ctx context.Context, name, owner string) error {
	err := s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Exec("UPDATE leases SET owner = '', expires_at = 0 WHERE name = ? AND owner = ?", name, owner).Error
	})
	if err != nil {
		return fmt.Errorf("drop the lease %s: %w", name, err)
	}
	return nil
}

// LeaseHeld says whether somebody holds a lease.
func (s *Store) LeaseHeld(ctx context.Context, name string) (bool, error) {
	var held int64
	err := s.read(ctx).Table("leases").Where("name = ? AND owner <> '' AND expires_at > ?", name, s.now()).
		Count(&held).Error
	if err != nil {
		return false, fmt.Errorf("look at the lease %s: %w", name, err)
	}
	return held > 0, nil
}

// LeaseNote is what was last noted of the work called name, or "".
func (s *Store) LeaseNote(ctx context.Context, name string) (string, error) {
	var notes []string
	if err := s.read(ctx).Table("leases").Where("name = ?", name).Pluck("note", &notes).Error; err != nil {
		return "", fmt.Errorf("read the note of the lease %s: %w", name, err)
	}
	if len(notes) == 0 {
		return "", nil
	}
	return notes[0], nil
}

// SetLeaseNote notes something for whoever does the work next. Without owner's lease it
// does nothing.
func (s *Store) SetLeaseNote(ctx context.Context, name, owner, note string) error {
	err := s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Exec("UPDATE leases SET note = ? WHERE name = ? AND owner = ?", note, name, owner).Error
	})
	if err != nil {
		return fmt.Errorf("note something of the lease %s: %w", name, err)
	}
	return nil
}

// LeaseTTL is how long after the death of its process others wait to take work over.
const LeaseTTL = 10 * time.Second

// Lease is work that one process does at a time.
type Lease struct {
	Store  *Store
	Name   string // of the work
	Owner  string // unique to this process
	TTL    time.Duration
	Logger *slog.Logger

	every time.Duration // between two tries; 0: a third of TTL
}

// Run calls work whenever this process gets the lease, until ctx ends; the context of work
// ends when the lease is lost. Where no other process can work on the database, work is
// called once. Run returns once work has.
func (l Lease) Run(ctx context.Context, work func(ctx context.Context)) {
	if !l.Store.Shared() {
		work(ctx)
		return
	}
	tick := time.NewTicker(cmp.Or(l.every, l.TTL/3))
	defer tick.Stop()
	for {
		if l.take(ctx) {
			l.hold(ctx, tick, work)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// hold works until ctx ends or the lease is lost, and drops it.
func (l Lease) hold(ctx context.Context, tick *time.Ticker, work func(ctx context.Context)) {
	working, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(working)
	}()
	expires := time.Now().Add(l.TTL)
	for held := true; held; {
		select {
		case <-done:
			held = false
		case <-tick.C:
			if l.take(working) {
				expires = time.Now().Add(l.TTL)
			} else if held = l.uncertain(expires); !held {
				l.Logger.Warn("the lease of work was lost; another process does it now", "work", l.Name)
			}
		}
	}
	stop()
	<-done
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.TTL/3)
	defer cancel()
	if err := l.Store.DropLease(ending, l.Name, l.Owner); err != nil {
		l.Logger.Warn("the lease of work ends by itself only", "work", l.Name, "error", err)
	}
}

// uncertain says whether the lease, which could not be extended, holds until the next try.
func (l Lease) uncertain(expires time.Time) bool { return time.Until(expires) > l.TTL/2 }

func (l Lease) take(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, l.TTL/3)
	defer cancel()
	taken, err := l.Store.TakeLease(limited, l.Name, l.Owner, l.TTL)
	if err != nil && ctx.Err() == nil {
		l.Logger.Warn("a lease could not be taken", "work", l.Name, "error", err)
	}
	return taken && err == nil
}

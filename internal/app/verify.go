package app

import (
	"context"
	"log/slog"

	"nanoclaw/internal/config"
	"nanoclaw/internal/store"
)

// storeOptions are what the configuration says about the database.
func storeOptions(c *config.Config) store.Options {
	return store.Options{URL: c.Database.URL.Reveal(), MaxConnections: c.Database.MaxConnections,
		SQLiteFile: c.DatabaseFile(), Synchronous: c.Database.Synchronous}
}

// VerifyAudit walks the audit's chain, read-only, also beside a running server.
// witness, where it is not nil, is a row that was noted elsewhere.
func VerifyAudit(ctx context.Context, c *config.Config, witness *store.AuditWitness,
	log *slog.Logger) (_ *store.AuditReport, err error) {
	options := storeOptions(c)
	options.Logger = log
	s, err := store.OpenReadOnly(ctx, options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.VerifyAudit(ctx, witness)
}

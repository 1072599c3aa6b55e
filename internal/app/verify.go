package app

import (
	"context"
	"log/slog"

	"nanoclaw/internal/config"
	"nanoclaw/internal/store"
)

// VerifyAudit walks the audit's chain, read-only, also beside a running server.
// witness, where it is not nil, is a row that was noted elsewhere.
func VerifyAudit(ctx context.Context, c *config.Config, witness *store.AuditWitness,
	log *slog.Logger) (_ *store.AuditReport, err error) {
	s, err := store.OpenReadOnly(ctx, store.Options{SQLiteFile: c.DatabaseFile(),
		Logger: log})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.VerifyAudit(ctx, witness)
}

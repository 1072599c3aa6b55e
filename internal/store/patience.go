package store

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strings"
	"time"

	"gorm.io/gorm"
)

// awayLimit is for how long the patient wait for a database that does not answer. Their
// context may end it before.
const awayLimit = 10 * time.Minute

type patientKey struct{}

// Patient makes everything that is done with ctx wait for a database that is away. The wait
// is over when ctx ends, also of work that outlives it otherwise (context.WithoutCancel). It
// is for work that nobody waits for with a connection open, such as runs; others get
// CodeUnavailable and come again.
func Patient(ctx context.Context) context.Context { return context.WithValue(ctx, patientKey{}, ctx) }

// patiently calls do again where it left nothing behind because the database is away.
func patiently(ctx context.Context, do func() error) error {
	err := do()
	patience, patient := ctx.Value(patientKey{}).(context.Context)
	if !patient {
		return err
	}
	for end := time.Now().Add(awayLimit); NotStored(err) && time.Now().Before(end); err = do() {
		select {
		case <-time.After(100*time.Millisecond + rand.N(200*time.Millisecond)):
		case <-ctx.Done():
			return err
		case <-patience.Done():
			return err
		}
	}
	return err
}

// patientPool repeats queries outside of transactions that are patient.
type patientPool struct {
	*sql.DB
	translate func(error) error
}

var (
	_ gorm.ConnPool       = (*patientPool)(nil)
	_ gorm.GetDBConnector = (*patientPool)(nil)
)

// GetDBConn implements gorm.GetDBConnector.
func (p *patientPool) GetDBConn() (*sql.DB, error) { return p.DB, nil }

// QueryContext implements gorm.ConnPool.
func (p *patientPool) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = p.repeat(ctx, query, func() error {
		rows, err = p.DB.QueryContext(ctx, query, args...)
		return err
	})
	return rows, err
}

// QueryRowContext implements gorm.ConnPool.
func (p *patientPool) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	_ = p.repeat(ctx, query, func() error { // the row has the error
		row = p.DB.QueryRowContext(ctx, query, args...)
		return row.Err()
	})
	return row
}

// repeat is for what only reads: another statement may have been done before its connection broke.
func (p *patientPool) repeat(ctx context.Context, query string, do func() error) error {
	translated := func() error {
		if err := do(); err != nil {
			return p.translate(err)
		}
		return nil
	}
	if word := strings.ToUpper(query[:min(6, len(query))]); word != "SELECT" && !strings.HasPrefix(word, "WITH ") {
		return translated()
	}
	return patiently(ctx, translated)
}

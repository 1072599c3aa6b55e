package store

import (
	"context"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// postgresDialector gives errors of PostgreSQL the meaning that callers decide on.
type postgresDialector struct{ *postgres.Dialector }

// Initialize makes FOR UPDATE a lock that foreign keys do not wait for: no key changes.
func (d postgresDialector) Initialize(db *gorm.DB) error {
	if err := d.Dialector.Initialize(db); err != nil {
		return err
	}
	db.ClauseBuilders["FOR"] = func(c clause.Clause, builder clause.Builder) {
		if locking, ok := c.Expression.(clause.Locking); ok && locking.Strength == clause.LockingStrengthUpdate {
			c.Expression = clause.Locking{Strength: "NO KEY UPDATE", Table: locking.Table, Options: locking.Options}
		}
		c.Build(builder)
	}
	return nil
}

// Translate implements gorm.ErrorTranslator.
func (postgresDialector) Translate(err error) error {
	var known *Error
	var own *pgconn.PgError
	var connecting *pgconn.ConnectError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &own):
		return translateState(own.Code, err)
	case errors.Is(err, context.Canceled), errors.Is(err, gorm.ErrRecordNotFound):
		return err
	case errors.As(err, &connecting): // in time or not
		return unavailable(err)
	case errors.Is(err, context.DeadlineExceeded):
		return err
	case connectionLost(err):
		return unavailable(err)
	}
	return err
}

// translateState reads an SQLSTATE, of which the first two characters are the class.
func translateState(state string, err error) error {
	switch state {
	case "23505":
		return fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, err)
	case "23503":
		return fmt.Errorf("%w: %w", gorm.ErrForeignKeyViolated, err)
	case "57014": // a statement ends before its time with its context alone
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case "53100":
		return fmt.Errorf("%w: %w", errFull, err)
	// shut down, crashed, starting, too many connections, read-only after a failover, left alone in a transaction
	case "57P01", "57P02", "57P03", "57P05", "53300", "25006", "25P03":
		return unavailable(err)
	}
	if strings.HasPrefix(state, "08") {
		return unavailable(err)
	}
	return err
}

// connectionLost says whether an error is one of the way to the server.
func connectionLost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, net.ErrClosed) || strings.HasSuffix(err.Error(), "conn closed")
}

func unavailable(err error) *Error {
	return &Error{Code: CodeUnavailable, cause: err,
		Message: "the database is unavailable: everything continues once it answers again"}
}

// repeatable says whether the database has rolled a transaction back because of another
// one: a serialization failure, or a deadlock.
func repeatable(err error) bool {
	var own *pgconn.PgError
	return errors.As(err, &own) && (own.Code == "40001" || own.Code == "40P01")
}

// connectError says in a sentence why the first connection failed, and what to do.
func (d *postgresDB) connectError(err error) error {
	var own *pgconn.PgError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	text := ""
	switch {
	case errors.As(err, &own):
		text = d.refusal(own)
	case errors.As(err, &authority), errors.As(err, &host):
		text = "shows a certificate that cannot be verified: name its authority with sslrootcert=… in database.url, and " +
			"the host by the name in the certificate"
	case strings.Contains(err.Error(), "refused TLS"):
		text = "does not offer TLS: turn it on there (ssl = on), or allow an unencrypted connection with " +
			"sslmode=disable in database.url"
	default:
		text = "does not answer: start it, or correct host and port in database.url"
	}
	return &Error{Code: CodeUnavailable, cause: err,
		Message: fmt.Sprintf("the PostgreSQL server at %s:%d %s", d.config.Host, d.config.Port, text)}
}

// refusal explains what a server answers to a connection.
func (d *postgresDB) refusal(own *pgconn.PgError) string {
	switch {
	case own.Code == "28P01":
		return fmt.Sprintf("does not accept the password of the user %q: correct database.url", d.config.User)
	case own.Code == "28000" && strings.Contains(own.Message, "no encryption"):
		return "wants an encrypted connection: set sslmode=require (or verify-full) in database.url"
	case own.Code == "28000":
		return fmt.Sprintf(
			"refuses the user %q (%s): correct database.url, or pg_hba.conf on the server",
			d.config.User,
			own.Message,
		)
	case own.Code == "3D000":
		return fmt.Sprintf("has no database %q: make it (createdb %s), or correct database.url", d.config.Database,
			d.config.Database)
	case own.Code == "53300":
		return "has no connection left: raise its max_connections, or lower database.max_connections"
	case strings.HasPrefix(own.Code, "57P"):
		return "is starting or stopping: try again once it runs"
	}
	return fmt.Sprintf("refuses the connection: %s (SQLSTATE %s)", own.Message, own.Code)
}

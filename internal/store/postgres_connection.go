package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
)

// abandonedAfter is how long PostgreSQL keeps the locks of a process that has stopped in
// the middle of a transaction. It is shorter than a lease, so that others can go on.
const abandonedAfter = "5s"

func parsePostgresURL(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil { // the error quotes the address
		var why string
		if inner := errors.Unwrap(err); inner != nil && !strings.Contains(inner.Error(), url) {
			why = " (" + inner.Error() + ")"
		}
		return nil, invalid("database.url cannot be read%s: write postgres://user:password@host:5432/database, and "+
			"percent-encode special characters of the password", why)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second,
		Interval: 2 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
	for name, value := range map[string]string{"idle_in_transaction_session_timeout": abandonedAfter,
		"application_name": "nanoclaw", "default_transaction_isolation": "read committed"} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	// A statement is cancelled with its context, and the connection stays.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 2 * time.Second}
	}
	return config, nil
}

// postgresConnector makes connections that store any text.
func postgresConnector(config *pgx.ConnConfig) driver.Connector {
	return storableConnector{stdlib.GetConnector(*config)}
}

type storableConnector struct{ driver.Connector }

func (c storableConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &storableConn{conn.(*stdlib.Conn)}, nil
}

// storableConn replaces what a text of PostgreSQL cannot hold: NUL, and bytes that are no
// UTF-8.
type storableConn struct{ *stdlib.Conn }

// CheckNamedValue sees every argument of every statement.
func (c *storableConn) CheckNamedValue(arg *driver.NamedValue) error {
	if valuer, ok := arg.Value.(driver.Valuer); ok {
		value, err := driver.DefaultParameterConverter.ConvertValue(valuer)
		if err != nil {
			return err
		}
		arg.Value = value
	}
	switch text := arg.Value.(type) {
	case string:
		arg.Value = storableText(text)
	case *string:
		if text != nil {
			arg.Value = storableText(*text)
		}
	}
	return c.Conn.CheckNamedValue(arg)
}

// storableText is the text with U+FFFD in place of what cannot be stored.
func storableText(text string) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

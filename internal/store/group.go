package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"gorm.io/gorm"
)

// maxGroup is how many callers one transaction of the database serves at most.
const maxGroup = 64

// groupWriter runs the transactions of many callers inside one transaction of the
// database and commits once for all that wait: nobody waits longer than for the commit
// under way and one's own. Each caller has a savepoint, so that an error, a panic or an
// ended context stays its own. A failed commit fails everyone in it.
//
// The database serves one writer at a time anyway, so callers lose nothing by standing
// in line, and share the cost of a commit.
type groupWriter struct {
	db     *gorm.DB
	counts *counts
	queue  chan *groupCall
	stop   chan struct{}
	done   chan struct{}
	once   sync.Once
}

// groupCall is one caller's transaction.
type groupCall struct {
	ctx      context.Context
	fn       func(tx *gorm.DB) error
	finished chan struct{}
	err      error
	panicked *groupPanic
}

// groupPanic is a panic that is raised again where the caller waits.
type groupPanic struct {
	value any
	stack []byte
}

func newGroupWriter(db *gorm.DB, counts *counts) *groupWriter {
	w := &groupWriter{db: db, counts: counts, queue: make(chan *groupCall, 4*maxGroup), stop: make(chan struct{}),
		done: make(chan struct{})}
	go w.run()
	return w
}

// do runs fn in the next group. Where ctx ends before fn has returned, nothing of it is
// stored; after that its end changes nothing.
func (w *groupWriter) do(ctx context.Context, fn func(tx *gorm.DB) error) error {
	call := &groupCall{ctx: ctx, fn: fn, finished: make(chan struct{})}
	select {
	case w.queue <- call:
	case <-w.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-call.finished:
	case <-w.done:
		select {
		case <-call.finished:
		default:
			return errClosed
		}
	}
	if p := call.panicked; p != nil {
		panic(fmt.Sprintf("%v\n\nin a transaction:\n%s", p.value, p.stack))
	}
	return call.err
}

var errClosed = errors.New("the database is closed")

// close waits for the group under way. Those that wait behind it get an error.
func (w *groupWriter) close() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
}

func (w *groupWriter) run() {
	defer close(w.done)
	for {
		select {
		case <-w.stop:
			return
		case first := <-w.queue:
			group := []*groupCall{first}
			for range min(len(w.queue), maxGroup-1) {
				group = append(group, <-w.queue)
			}
			w.commit(group)
		}
	}
}

// commit runs a group and tells its callers how it ended.
func (w *groupWriter) commit(group []*groupCall) {
	err := w.transaction(group)
	for _, call := range group {
		if call.err == nil {
			call.err = err
		}
		close(call.finished)
	}
}

// transaction returns why nothing of the group is stored. The errors of single callers
// stand in their calls.
func (w *groupWriter) transaction(group []*groupCall) (err error) {
	ctx := context.Background()
	pool, err := w.db.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx := &groupTx{conn: conn}
	if err := tx.exec("BEGIN IMMEDIATE"); err != nil {
		return w.translate(err)
	}
	for _, call := range group {
		if err = w.serve(tx, call); err != nil {
			break
		}
	}
	if err == nil {
		if err = tx.exec("COMMIT"); err == nil {
			w.counts.commits.Add(1)
			return nil
		}
	}
	// On a full disk the database may have rolled back by itself.
	if tx.exec("ROLLBACK") != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // closed, and opened anew by the next group
	}
	return w.translate(err)
}

func (w *groupWriter) translate(err error) error {
	return translate(w.db, err)
}

// serve runs one caller's work inside a savepoint. An error means that the whole group
// is lost.
func (w *groupWriter) serve(tx *groupTx, call *groupCall) error {
	if ended := call.ctx.Err(); ended != nil {
		call.err = ended
		return nil
	}
	if err := tx.exec("SAVEPOINT caller"); err != nil {
		return err
	}
	call.run(w.db, tx)
	if call.err == nil && call.panicked == nil {
		return tx.exec("RELEASE caller")
	}
	if err := errors.Join(tx.exec("ROLLBACK TO caller"), tx.exec("RELEASE caller")); err != nil {
		return errors.Join(call.err, err)
	}
	return nil
}

func (call *groupCall) run(db *gorm.DB, tx *groupTx) {
	defer func() {
		if value := recover(); value != nil {
			call.panicked = &groupPanic{value, debug.Stack()}
		}
	}()
	session := db.Session(&gorm.Session{Context: call.ctx, NewDB: true})
	session.Statement.ConnPool = &callerConn{tx, call.ctx}
	if call.err = call.fn(session); call.err == nil {
		call.err = call.ctx.Err() // a statement may have been refused
	}
}

// groupTx is the connection of a group's transaction.
type groupTx struct{ conn *sql.Conn }

func (tx *groupTx) exec(statement string) error {
	_, err := tx.conn.ExecContext(context.Background(), statement)
	return err
}

// callerConn is the connection as one caller sees it. A statement that has begun is
// never interrupted: that could roll back the work of others.
type callerConn struct {
	*groupTx
	ctx context.Context
}

var _ gorm.ConnPool = (*callerConn)(nil)

func (c *callerConn) PrepareContext(_ context.Context, query string) (*sql.Stmt, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return c.conn.PrepareContext(context.Background(), query)
}

func (c *callerConn) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return c.conn.ExecContext(context.Background(), query, args...)
}

func (c *callerConn) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return c.conn.QueryContext(context.Background(), query, args...)
}

// QueryRowContext cannot refuse without a row: its Scan says that ctx has ended.
func (c *callerConn) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	ctx := context.Background()
	if c.ctx.Err() != nil {
		ctx = c.ctx
	}
	return c.conn.QueryRowContext(ctx, query, args...)
}

package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace"
)

// record is one message of a journal: changes that happen together.
type record struct {
	ID   string `json:"id"`
	Prev uint64 `json:"prev"` // sequence number of the record before; 0: it is the first
	Time int64  `json:"time"` // ns
	Ops  []op   `json:"ops"`
}

// journal is the names of one namespace's files.
type journal struct {
	store   *Store
	ns      Namespace
	subject string
	turn    chan struct{} // held by the one commit of this process

	mu     sync.Mutex
	tree   *tree // nil: it has to be loaded
	behind int   // records since the last snapshot
	editing
}

const (
	publishTimeout = 10 * time.Second
	maxLoads       = 5
)

// read runs fn with the tree as the newest message leaves it. fn must not keep nodes.
func (j *journal) read(ctx context.Context, fn func(*tree) error) error {
	if err := j.catchUp(ctx); err != nil {
		return err
	}
	return j.locked(fn)
}

// view is read without a look for newer messages, where a call has looked already.
func (j *journal) view(ctx context.Context, fn func(*tree) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := j.position(ctx); err != nil {
		return away("", err)
	}
	return j.locked(fn)
}

// locked runs fn with the tree, which another goroutine may have dropped meanwhile.
func (j *journal) locked(fn func(*tree) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tree == nil {
		return workspace.Errorf(workspace.CodeUnavailable, "", "the list of these files is read again: try once more")
	}
	return fn(j.tree)
}

// catchUp applies the messages that other processes added.
func (j *journal) catchUp(ctx context.Context) error {
	for range maxLoads {
		gap, err := j.follow(ctx)
		if err != nil || !gap {
			return away("", err)
		}
		j.forget() // a snapshot took the place of what is missing
	}
	return damaged()
}

func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tree = nil
}

// follow reads the journal to its end; gap says that messages are missing in it.
func (j *journal) follow(ctx context.Context) (gap bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		seq, err := j.position(ctx)
		if err != nil {
			return false, err
		}
		msg, err := j.store.journal.GetMsg(ctx, seq+1, jetstream.WithGetMsgSubject(j.subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		var r record
		if err := json.Unmarshal(msg.Data, &r); err != nil {
			return false, fmt.Errorf("read message %d of the journal: %w", msg.Sequence, err)
		}
		if !j.advance(r, msg.Sequence) {
			return true, nil
		}
	}
}

// position is the sequence number that the tree is at, which is loaded where it has to be.
func (j *journal) position(ctx context.Context) (uint64, error) {
	j.mu.Lock()
	if j.tree != nil {
		defer j.mu.Unlock()
		return j.tree.seq, nil
	}
	j.mu.Unlock()
	loaded, err := j.store.loadSnapshot(ctx, j.ns)
	if err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tree == nil {
		j.tree, j.behind = loaded, 0
	}
	return j.tree.seq, nil
}

// advance applies a record, unless that was done meanwhile. False: records before it
// are missing.
func (j *journal) advance(r record, seq uint64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.tree == nil:
		return true // somebody found a gap: it is loaded again
	case seq <= j.tree.seq:
		return true
	case r.Prev != j.tree.seq:
		return false
	}
	j.tree.apply(r, seq)
	j.behind++
	return true
}

// commit makes changes. build says which, looking at the newest tree; it is called
// again where another process was faster. Its error is returned as it is.
func (j *journal) commit(ctx context.Context, build func(*tree) ([]op, error)) error {
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	id := uuid.NewString()
	for loads := 0; loads < maxLoads; {
		done, err := j.attempt(ctx, id, build)
		if err != nil {
			return err
		}
		if done {
			j.snapshotIfDue(ctx)
			return nil
		}
		if j.loaded() {
			continue // another process was faster
		}
		loads++
	}
	return damaged()
}

func damaged() error {
	return workspace.Errorf(workspace.CodeInternal, "", "the list of these files is damaged: restore a backup")
}

func (j *journal) loaded() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tree != nil
}

// attempt publishes the changes behind the message that the tree is at. done is false
// where that is not the last message any more.
func (j *journal) attempt(ctx context.Context, id string, build func(*tree) ([]op, error)) (done bool, err error) {
	r := record{ID: id, Time: time.Now().UnixNano()}
	err = j.read(ctx, func(t *tree) (err error) {
		if slices.Contains(t.ids[:], id) {
			done = true // an earlier attempt, whose answer was lost
			return nil
		}
		r.Prev = t.seq
		r.Ops, err = build(t)
		return err
	})
	if done || err != nil || len(r.Ops) == 0 {
		return true, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	// A call that ends now must still learn whether its change was made.
	publish, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	ack, err := j.store.js.Publish(publish, j.subject, data, jetstream.WithExpectLastSequencePerSubject(r.Prev))
	if isWrongSequence(err) {
		return false, j.passedBy(publish, r.Prev)
	}
	if err != nil {
		return j.outcome(publish, id, err)
	}
	j.advance(r, ack.Sequence)
	return true, nil
}

// passedBy is called when the journal does not end where the tree does. Where there
// are no newer messages either, the namespace was removed.
func (j *journal) passedBy(ctx context.Context, at uint64) error {
	if err := j.catchUp(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tree != nil && j.tree.seq == at {
		j.tree = nil
	}
	return nil
}

// outcome finds out whether a message whose answer was lost is in the journal.
func (j *journal) outcome(ctx context.Context, id string, cause error) (done bool, err error) {
	err = j.read(ctx, func(t *tree) error {
		if !slices.Contains(t.ids[:], id) {
			return cause
		}
		return nil
	})
	return err == nil, away("", err)
}

func isWrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// editing is the files that are being edited in this process: one editor at a time
// wastes no content.
type editing struct {
	editMu sync.Mutex
	paths  map[string]chan struct{}
}

// edit waits for its turn with a file.
func (e *editing) edit(ctx context.Context, path string) (release func(), err error) {
	for {
		e.editMu.Lock()
		busy, taken := e.paths[path]
		if !taken {
			if e.paths == nil {
				e.paths = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			e.paths[path] = mine
			e.editMu.Unlock()
			return func() {
				e.editMu.Lock()
				delete(e.paths, path)
				e.editMu.Unlock()
				close(mine)
			}, nil
		}
		e.editMu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

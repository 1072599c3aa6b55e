package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace"
)

// statesKey begins the keys of the records of sandboxes' states.
const statesKey = "sandbox."

// State is what a sandbox held at one moment, as a stream of bytes.
type State struct {
	ID      string    `json:"id"`
	Origin  string    `json:"origin"` // the copy of the sandbox that it was taken from
	Created time.Time `json:"created"`
	Size    int64     `json:"size"` // bytes of the stream
	SHA256  string    `json:"sha256"`
	Damaged bool      `json:"damaged,omitempty"` // found when it was read
}

// States are the kept states of one sandbox, the newest first. They change only from
// the revision that they were read at: a process that lost its sandbox stores nothing.
type States struct {
	List []State

	store    *Store
	ns       Namespace
	revision uint64
}

type statesRecord struct {
	Contents []string `json:"contents"` // their ids, for the collector
	States   []State  `json:"states"`
}

// ErrReplaced says that another process stored a state meanwhile.
var ErrReplaced = errors.New("another process has stored a newer state of this sandbox")

// DamagedError says that a state is not what was stored.
type DamagedError struct {
	State State
	Got   string // its checksum now; empty: it could not be read to its end
	Err   error  // what reading it said
}

func (e *DamagedError) Error() string {
	got := "it cannot be read"
	if e.Got != "" {
		got = "it has " + e.Got
	}
	return fmt.Sprintf("the snapshot of %s is damaged: its SHA-256 was %s, and %s",
		e.State.Created.UTC().Format(time.RFC3339), e.State.SHA256, got)
}

// Unwrap is what reading said.
func (e *DamagedError) Unwrap() error { return e.Err }

// States reads which states of a sandbox are kept.
func (s *Store) States(ctx context.Context, ns Namespace) (*States, error) {
	out := &States{store: s, ns: ns}
	entry, err := s.records.Get(ctx, statesKey+ns.token())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, away("", err)
	}
	var r statesRecord
	if err := json.Unmarshal(entry.Value(), &r); err != nil {
		return nil, fmt.Errorf("read the list of snapshots: %w", err)
	}
	out.List, out.revision = r.States, entry.Revision()
	return out, nil
}

// Newest is the newest state that is not damaged; nil: there is none.
func (s *States) Newest() *State {
	if at := slices.IndexFunc(s.List, func(one State) bool { return !one.Damaged }); at >= 0 {
		return &s.List[at]
	}
	return nil
}

// Claim makes every other process's reading of the list too old to store anything.
func (s *States) Claim(ctx context.Context) error { return s.replace(ctx, s.List) }

// Add stores what write writes as the newest state, and forgets those beyond keep. Until
// it returns the old states are what there is; ErrReplaced where they are not any more.
func (s *States) Add(ctx context.Context, origin string, keep int, write func(io.Writer) error) error {
	sum := sha256.New()
	out, in := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		in.CloseWithError(write(io.MultiWriter(in, sum)))
	}()
	put, err := s.store.contents.put(ctx, out, nil)
	err = errors.Join(err, out.Close()) // a writer that is still at work fails
	<-written
	if err != nil {
		return fmt.Errorf("store a snapshot: %w", err)
	}
	if put.bad() {
		return errors.New("store a snapshot: the process was suspended meanwhile")
	}
	state := State{ID: put.id, Origin: origin, Created: put.at.UTC(), Size: put.size,
		SHA256: hex.EncodeToString(sum.Sum(nil))}
	list := append([]State{state}, s.List...)
	// The last good one stays, however many damaged ones are newer.
	good := 0
	list = slices.DeleteFunc(list, func(one State) bool {
		if !one.Damaged {
			good++
		}
		return good > max(keep, 1)
	})
	return s.replace(ctx, list)
}

// MarkDamaged notes that a state cannot be used.
func (s *States) MarkDamaged(ctx context.Context, id string) error {
	list := slices.Clone(s.List)
	for i := range list {
		list[i].Damaged = list[i].Damaged || list[i].ID == id
	}
	return s.replace(ctx, list)
}

func (s *States) replace(ctx context.Context, list []State) error {
	r := statesRecord{States: list}
	for _, one := range list {
		r.Contents = append(r.Contents, one.ID)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	revision := uint64(0)
	if s.revision == 0 {
		revision, err = s.store.records.Create(ctx, statesKey+s.ns.token(), data)
	} else {
		revision, err = s.store.records.Update(ctx, statesKey+s.ns.token(), data, s.revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || isWrongSequence(err) {
		return ErrReplaced
	}
	if err != nil {
		return away("", err)
	}
	s.List, s.revision = list, revision
	return nil
}

// Read hands the bytes of a state to read, and is a *DamagedError where they are not those
// that were stored, whatever read made of them.
func (s *States) Read(ctx context.Context, state State, read func(io.Reader) error) error {
	content, err := s.store.contents.open(ctx, state.ID)
	if err != nil {
		return unreadable(state, err)
	}
	defer content.Close()
	sum := sha256.New()
	in := io.TeeReader(content, sum)
	failed := read(in)
	if _, err := io.Copy(io.Discard, in); err != nil {
		return unreadable(state, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != state.SHA256 {
		return &DamagedError{State: state, Got: got, Err: failed}
	}
	return failed
}

// unreadable tells a content that is gone or damaged from a store that is away.
func unreadable(state State, err error) error {
	if errors.Is(err, jetstream.ErrDigestMismatch) || workspace.IsCode(err, workspace.CodeInternal) {
		return &DamagedError{State: state, Err: err}
	}
	return away("", err)
}

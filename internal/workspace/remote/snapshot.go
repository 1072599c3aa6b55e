package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/nats-io/nats.go/jetstream"
)

// snapshotKey begins the keys of the records of snapshots.
const snapshotKey = "tree."

// snapshotRecord says where a namespace's tree is stored.
type snapshotRecord struct {
	Contents []string `json:"contents"` // one id; a list, since the collector reads all records alike
	Seq      uint64   `json:"seq"`      // of the last message that is in it
}

// leastBehind is how long a journal becomes before a snapshot is made of it; a large
// tree waits longer, so that a change costs the same on average.
const leastBehind = 256

// snapshotIfDue stores the tree and purges the messages that are in it. A failure is
// logged: the next change tries again, and the journal is whole.
func (j *journal) snapshotIfDue(ctx context.Context) {
	j.mu.Lock()
	due := j.tree != nil && j.behind >= max(leastBehind, j.tree.files/4)
	j.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := j.snapshot(ctx); err != nil {
		j.store.options.Logger.Warn("the list of a project's files could not be stored", "project_id", j.ns.Project,
			"error", err)
	}
}

func (j *journal) snapshot(ctx context.Context) error {
	j.mu.Lock()
	if j.tree == nil {
		j.mu.Unlock()
		return nil
	}
	data, err := encodeTree(j.tree)
	seq := j.tree.seq
	j.behind = 0
	j.mu.Unlock()
	if err != nil {
		return err
	}
	stored, err := j.store.contents.put(ctx, bytes.NewReader(data), nil)
	if err != nil {
		return err
	}
	if stored.bad() {
		return errors.New("it was not stored in time")
	}
	replaced, err := j.store.replaceRecord(ctx, j.ns, snapshotRecord{Contents: []string{stored.id}, Seq: seq})
	if err != nil || !replaced {
		return err
	}
	// What the next load needs is there to be read before anything is purged.
	if loaded, err := j.store.loadSnapshot(ctx, j.ns); err != nil || loaded.seq < seq {
		return fmt.Errorf("read it again: %w", err)
	}
	return j.store.journal.Purge(ctx, jetstream.WithPurgeSubject(j.subject), jetstream.WithPurgeSequence(seq))
}

// replaceRecord names a newer snapshot. False: another process has named one that is as new.
func (s *Store) replaceRecord(ctx context.Context, ns Namespace, r snapshotRecord) (bool, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	key := snapshotKey + ns.token()
	for {
		old, revision, err := s.recordOf(ctx, ns)
		if err != nil || old.Seq >= r.Seq {
			return false, err
		}
		if revision == 0 {
			_, err = s.records.Create(ctx, key, data)
		} else {
			_, err = s.records.Update(ctx, key, data, revision)
		}
		if isWrongSequence(err) {
			continue
		}
		return err == nil, err
	}
}

// recordOf is the record of a namespace; revision 0: there is none.
func (s *Store) recordOf(ctx context.Context, ns Namespace) (r snapshotRecord, revision uint64, err error) {
	entry, err := s.records.Get(ctx, snapshotKey+ns.token())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, nil
	}
	if err != nil {
		return r, 0, err
	}
	return r, entry.Revision(), json.Unmarshal(entry.Value(), &r)
}

// loadSnapshot returns the tree of a namespace as it was stored last; without a
// snapshot an empty one.
func (s *Store) loadSnapshot(ctx context.Context, ns Namespace) (*tree, error) {
	r, revision, err := s.recordOf(ctx, ns)
	if err != nil || revision == 0 {
		return newTree(), err
	}
	content, err := s.contents.open(ctx, r.Contents[0])
	if err != nil {
		return nil, fmt.Errorf("read the snapshot %s: %w", r.Contents[0], err)
	}
	defer content.Close()
	return decodeTree(content, r.Seq)
}

// encodeTree writes the changes that make the tree of an empty one.
func encodeTree(t *tree) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := encodeNode(json.NewEncoder(zip), ".", t.root); err != nil {
		return nil, err
	}
	err = zip.Close()
	return out.Bytes(), err
}

// encodeNode writes a directory behind what is in it, so that its time is the last one
// that is set.
func encodeNode(encoder *json.Encoder, at string, n *node) error {
	o := op{Kind: opMkdir, Path: []byte(at), Time: n.modified}
	if n.children == nil {
		o.Kind, o.File = opPut, &n.file
	}
	for name, child := range n.children {
		if err := encodeNode(encoder, path.Join(at, name), child); err != nil {
			return err
		}
	}
	return encoder.Encode(o)
}

func decodeTree(r io.Reader, seq uint64) (*tree, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	t := newTree()
	for decoder := json.NewDecoder(zip); ; {
		var o op
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			t.seq = seq
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the snapshot: %w", err)
		}
		if o.Kind == opMkdir {
			t.dirs(string(o.Path), o.Time, seq).modified = o.Time
			continue
		}
		t.change(o, o.Time, seq)
	}
}

package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Check opens a copy of a server's directory of files, reads everything that is named in
// it, and closes it. The error is the first thing that is missing or damaged. The copy may
// have been made while the server worked; then it can be one of no moment, which is an
// error too.
func Check(ctx context.Context, dir string) error {
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.journal.Info(ctx, jetstream.WithSubjectFilter(s.names.subjects+">"))
	if err != nil {
		return err
	}
	checked := map[string]bool{}
	for subject := range info.State.Subjects {
		if err := s.checkJournal(ctx, subject, checked); err != nil {
			return err
		}
	}
	keys, err := s.records.ListKeys(ctx)
	if err != nil {
		return err
	}
	for key := range keys.Keys() {
		if err := s.checkRecord(ctx, key, checked); err != nil {
			return fmt.Errorf("check the record %s: %w", key, err)
		}
	}
	return nil
}

// checkJournal reads a journal to its end, and all contents that its tree names.
func (s *Store) checkJournal(ctx context.Context, subject string, checked map[string]bool) error {
	ns, err := parseNamespace(strings.TrimPrefix(subject, s.names.subjects))
	if err != nil {
		return err
	}
	last, err := s.journal.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return err
	}
	j := &journal{store: s, ns: ns, subject: subject}
	var ids []string
	err = j.read(ctx, func(t *tree) error {
		if t.seq != last.Sequence {
			return errors.New("the list of its files is newer than its journal")
		}
		t.root.walk("", func(_ string, n *node) {
			if n.children == nil {
				ids = append(ids, n.file.Content)
			}
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("check the files of project %s: %w", ns.Project, err)
	}
	return s.checkContents(ctx, ids, checked)
}

// checkEnd says whether the journal of a namespace goes at least as far as its snapshot:
// where it does not, nothing could be added to it.
func (s *Store) checkEnd(ctx context.Context, token string, seq uint64) error {
	last, err := s.journal.GetLastMsgForSubject(ctx, s.names.subjects+token)
	if err == nil && last.Sequence < seq {
		err = errors.New("its journal ends before it")
	}
	return err
}

func (s *Store) checkContents(ctx context.Context, ids []string, checked map[string]bool) error {
	for _, id := range ids {
		if checked[id] {
			continue
		}
		checked[id] = true
		content, err := s.contents.open(ctx, id)
		if err == nil {
			_, err = io.Copy(io.Discard, content)
			err = errors.Join(err, content.Close())
		}
		if err != nil {
			return fmt.Errorf("check the content %s: %w", id, err)
		}
	}
	return nil
}

// checkRecord reads what a record names. Snapshots that are known to be damaged may be.
func (s *Store) checkRecord(ctx context.Context, key string, checked map[string]bool) error {
	entry, err := s.records.Get(ctx, key)
	if err != nil {
		return err
	}
	token, isStates := strings.CutPrefix(key, statesKey)
	if !isStates {
		var r snapshotRecord
		if err := json.Unmarshal(entry.Value(), &r); err != nil {
			return err
		}
		if err := s.checkEnd(ctx, strings.TrimPrefix(key, snapshotKey), r.Seq); err != nil {
			return err
		}
		return s.checkContents(ctx, r.Contents, checked)
	}
	ns, err := parseNamespace(token)
	if err != nil {
		return err
	}
	states, err := s.States(ctx, ns)
	if err != nil {
		return err
	}
	for _, state := range states.List {
		err := states.Read(ctx, state, func(io.Reader) error { return nil })
		if err != nil && !state.Damaged {
			return err
		}
	}
	return nil
}

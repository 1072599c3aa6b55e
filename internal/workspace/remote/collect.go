package remote

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
)

// leastPause is how often garbage is collected at most.
const leastPause = time.Minute

// collectNowAndThen removes garbage until ctx ends.
func (s *Store) collectNowAndThen(ctx context.Context) {
	ticker := time.NewTicker(max(s.options.Grace, leastPause))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if _, err := s.Collect(ctx); err != nil && ctx.Err() == nil {
			s.options.Logger.Warn("contents that no file has could not all be removed", "error", err)
		}
	}
}

// Collect removes the contents that nothing names and that are older than the grace
// period: those of replaced and deleted files, and of uploads that were interrupted.
func (s *Store) Collect(ctx context.Context) (removed int, err error) {
	before := time.Now().Add(-s.options.Grace)
	// What is old now and not named afterwards can never be named again.
	old, err := s.contents.older(ctx, before)
	if err != nil {
		return 0, err
	}
	named, err := s.named(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range old {
		if named[id] {
			continue
		}
		if err := s.contents.remove(ctx, id); err != nil {
			return removed, err
		}
		removed++
	}
	pieces, err := s.contents.removePieces(ctx, before)
	return removed + pieces, err
}

// named are the ids that the journals and the records name.
func (s *Store) named(ctx context.Context) (map[string]bool, error) {
	named := map[string]bool{}
	keys, err := s.records.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	for key := range keys.Keys() {
		entry, err := s.records.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		var r struct {
			Contents []string `json:"contents"`
		}
		if err == nil {
			err = json.Unmarshal(entry.Value(), &r)
		}
		if err != nil {
			return nil, fmt.Errorf("read the record %s: %w", key, err)
		}
		for _, id := range r.Contents {
			named[id] = true
		}
	}
	info, err := s.journal.Info(ctx, jetstream.WithSubjectFilter(s.names.subjects+">"))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		ns, err := parseNamespace(strings.TrimPrefix(subject, s.names.subjects))
		if err != nil {
			return nil, err
		}
		// A journal of its own: those that are open need not hold the trees of all projects.
		j := &journal{store: s, ns: ns, subject: subject}
		err = j.read(ctx, func(t *tree) error {
			t.root.walk("", func(_ string, n *node) {
				if n.children == nil {
					named[n.file.Content] = true
				}
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return named, nil
}

// older are the ids of contents that were stored before a moment.
func (c *contents) older(ctx context.Context, before time.Time) (ids []string, err error) {
	stream, err := c.js.Stream(ctx, "KV_"+c.names.contents)
	if err != nil {
		return nil, err
	}
	prefix := "$KV." + c.names.contents + "."
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		id := strings.TrimPrefix(subject, prefix)
		if at, ok := timeOf(id); ok && at.Before(before) {
			ids = append(ids, id)
		}
	}
	objects, err := c.large.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return ids, nil
	}
	for _, object := range objects {
		if object.ModTime.Before(before) {
			ids = append(ids, object.Name)
		}
	}
	return ids, err
}

// timeOf is when an id was made.
func timeOf(id string) (time.Time, bool) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return time.Time{}, false
	}
	sec, nsec := parsed.Time().UnixTime()
	return time.Unix(sec, nsec), true
}

// removePieces removes what is left of objects whose upload was interrupted.
func (c *contents) removePieces(ctx context.Context, before time.Time) (removed int, err error) {
	stream, err := c.js.Stream(ctx, "OBJ_"+c.names.objects)
	if err != nil {
		return 0, err
	}
	prefix := "$O." + c.names.objects + ".C."
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return 0, err
	}
	whole := map[string]bool{}
	objects, err := c.large.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return 0, err
	}
	for _, object := range objects {
		whole[object.NUID] = true
	}
	for subject := range info.State.Subjects {
		if whole[strings.TrimPrefix(subject, prefix)] {
			continue
		}
		last, err := stream.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && !last.Time.Before(before) {
			continue
		}
		if err == nil {
			err = stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// objectMetaSubject is where the object store keeps what it knows of an object.
func (c *contents) objectMetaSubject(name string) string {
	return "$O." + c.names.objects + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

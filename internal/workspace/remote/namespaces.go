package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Namespace is one tree of files. Nothing in it leads to another one.
type Namespace struct {
	Project string
	Scope   string // whose files of the project they are; empty: everybody's
}

// token is the namespace as a part of a subject or key.
func (n Namespace) token() string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(n.Project)) + "." + encode([]byte("="+n.Scope))
}

func parseNamespace(token string) (ns Namespace, err error) {
	first, second, _ := strings.Cut(token, ".")
	project, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		return ns, fmt.Errorf("the journal %q is of no project: %w", token, err)
	}
	scope, err := base64.RawURLEncoding.DecodeString(second)
	if err != nil {
		return ns, fmt.Errorf("the journal %q is of no project: %w", token, err)
	}
	return Namespace{Project: string(project), Scope: strings.TrimPrefix(string(scope), "=")}, nil
}

// Namespaces are all that there is anything of: files or states of a sandbox.
func (s *Store) Namespaces(ctx context.Context) ([]Namespace, error) {
	found := map[Namespace]bool{}
	note := func(token string) error {
		ns, err := parseNamespace(token)
		found[ns] = true
		return err
	}
	info, err := s.journal.Info(ctx, jetstream.WithSubjectFilter(s.names.subjects+">"))
	if err != nil {
		return nil, away("", err)
	}
	for subject := range info.State.Subjects {
		if err := note(strings.TrimPrefix(subject, s.names.subjects)); err != nil {
			return nil, err
		}
	}
	for _, kind := range []string{snapshotKey, statesKey} {
		keys, err := s.recordKeys(ctx, kind+">")
		if err != nil {
			return nil, away("", err)
		}
		for _, key := range keys {
			if err := note(strings.TrimPrefix(key, kind)); err != nil {
				return nil, err
			}
		}
	}
	return slices.Collect(maps.Keys(found)), nil
}

// Remove deletes the files and the states of a namespace. Their contents are collected later.
func (s *Store) Remove(ctx context.Context, ns Namespace) error {
	return s.remove(ctx, ns.token(), func(open Namespace) bool { return open == ns })
}

// RemoveProject deletes the files and the states of all namespaces of a project. Their
// contents are collected later.
func (s *Store) RemoveProject(ctx context.Context, project string) error {
	return s.remove(ctx, base64.RawURLEncoding.EncodeToString([]byte(project))+".*",
		func(open Namespace) bool { return open.Project == project })
}

// remove deletes what there is of namespaces: tokens selects them in subjects and keys.
func (s *Store) remove(ctx context.Context, tokens string, selected func(Namespace) bool) error {
	s.mu.Lock()
	for ns := range s.open {
		if selected(ns) {
			delete(s.open, ns)
		}
	}
	s.mu.Unlock()
	// The record goes last: a journal without the snapshot that it begins behind would be damaged.
	if err := s.journal.Purge(ctx, jetstream.WithPurgeSubject(s.names.subjects+tokens)); err != nil {
		return away("", err)
	}
	for _, kind := range []string{snapshotKey, statesKey} {
		keys, err := s.recordKeys(ctx, kind+tokens)
		if err != nil {
			return away("", err)
		}
		for _, key := range keys {
			if err := s.records.Purge(ctx, key); err != nil {
				return away("", err)
			}
		}
	}
	return nil
}

func (s *Store) recordKeys(ctx context.Context, filter string) (all []string, err error) {
	keys, err := s.records.ListKeysFiltered(ctx, filter)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for key := range keys.Keys() {
		all = append(all, key)
	}
	return all, nil
}

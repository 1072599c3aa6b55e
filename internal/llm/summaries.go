package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
)

// Summaries remembers what Fit's summarise has answered. Fit asks for the same
// summary at every step of a long conversation; without this, each step would pay
// for another model call. The zero value is ready for use, by many goroutines at
// once; one serves a whole process.
type Summaries struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]string
	order [][sha256.Size]byte // oldest first
}

const maxSummaries = 1024

// Wrap returns a summarise that asks only for what is not known. Summaries of
// different owners (a model's id, a language) are kept apart.
func (s *Summaries) Wrap(owner string, summarise func(context.Context, []Message) (string, error)) func(context.Context,
	[]Message) (string, error) {
	if summarise == nil {
		return nil
	}
	return func(ctx context.Context, messages []Message) (string, error) {
		key, err := summaryKey(owner, messages)
		if err != nil {
			return "", err
		}
		if summary, ok := s.get(key); ok {
			return summary, nil
		}
		summary, err := summarise(ctx, messages)
		if err != nil {
			return "", err
		}
		s.put(key, summary)
		return summary, nil
	}
}

func summaryKey(owner string, messages []Message) ([sha256.Size]byte, error) {
	raw, err := json.Marshal(messages)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("identify the messages to summarise: %w", err)
	}
	return sha256.Sum256(append([]byte(owner+"\x00"), raw...)), nil
}

func (s *Summaries) get(key [sha256.Size]byte) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	summary, ok := s.known[key]
	return summary, ok
}

func (s *Summaries) put(key [sha256.Size]byte, summary string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.known[key]; ok {
		return
	}
	if s.known == nil {
		s.known = make(map[[sha256.Size]byte]string)
	}
	if len(s.order) == maxSummaries {
		delete(s.known, s.order[0])
		s.order = append(s.order[:0], s.order[1:]...)
	}
	s.known[key] = summary
	s.order = append(s.order, key)
}

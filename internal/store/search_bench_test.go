package store

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

// BenchmarkLibrary measures lists and searches in 10,000 conversations with
// 100,000 messages, and reports the 95th percentile over many different queries.
func BenchmarkLibrary(b *testing.B) {
	s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "library.db"),
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c := newCorpus()
	start := time.Now()
	project := c.fill(b, s, models.LocalUserID, 10_000)
	b.Logf("filled in %v", time.Since(start))

	list := func(q ConversationQuery) func(int) error {
		return func(int) error {
			_, err := s.ListConversations(context.Background(), models.LocalUserID, q)
			return err
		}
	}
	search := func(query func(i int) string) func(int) error {
		return func(i int) error {
			_, err := s.Search(context.Background(), models.LocalUserID, SearchQuery{Text: query(i)})
			return err
		}
	}
	filtered := func(query func(i int) string) func(int) error {
		return func(i int) error {
			_, err := s.ListConversations(context.Background(), models.LocalUserID, ConversationQuery{Q: query(i)})
			return err
		}
	}
	rank := func(i, n int) int { return i * i % n } // frequent ones and rare ones
	english := func(i int) string { return c.words[rank(i, 5000)] }
	chinese := func(i int) string { return string([]rune{c.chars[rank(i, 500)], c.chars[rank(i+1, 500)]}) }
	for _, query := range []struct {
		name string
		one  func(int) error
	}{
		{"list/first page", list(ConversationQuery{})},
		{"list/project", list(ConversationQuery{ProjectID: project})},
		{"search/english", search(english)},
		{"search/most frequent", search(func(int) string { return c.words[0] })},
		{"search/english prefix", search(func(i int) string { return english(i)[:2] })},
		{"search/one letter", search(func(i int) string { return english(i)[:1] })},
		{"search/chinese", search(chinese)},
		{"search/one character", search(func(i int) string { return string(c.chars[rank(i, 500)]) })},
		{"search/project", func(i int) error {
			_, err := s.Search(context.Background(), models.LocalUserID, SearchQuery{Text: english(i),
				ProjectID: project})
			return err
		}},
		{"search/project and frequent", func(int) error {
			_, err := s.Search(context.Background(), models.LocalUserID, SearchQuery{Text: c.words[0],
				ProjectID: project})
			return err
		}},
		{"search/two words", search(func(i int) string { return english(i) + " " + chinese(i) })},
		{"filter/english", filtered(english)},
		{"filter/most frequent", filtered(func(int) string { return c.words[0] })},
		{"filter/english prefix", filtered(func(i int) string { return english(i)[:2] })},
		{"filter/chinese", filtered(chinese)},
		{"filter/one character", filtered(func(i int) string { return string(c.chars[rank(i, 500)]) })},
	} {
		b.Run(query.name, func(b *testing.B) { percentile(b, query.one) })
	}
}

// percentile measures one again and again, and reports the 95th percentile of its time.
func percentile(b *testing.B, one func(i int) error) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := one(i); err != nil {
			b.Fatal(fmt.Errorf("query %d: %w", i, err))
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

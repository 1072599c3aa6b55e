package store

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkPeople measures what lists cost where 1,000 people have 10,000 projects, and
// reports the 95th percentile: a member's first pages, and an administrator's
// pages of accounts.
func BenchmarkPeople(b *testing.B) {
	for name, open := range map[string]openFunc{"sqlite": openSQLite, "postgres": openPostgres} {
		b.Run(name, func(b *testing.B) {
			s := open(b, newClock())
			crowd(b, s, 1000, 10_000)
			ctx := WithLevel(context.Background(), ViewersToo)
			for _, query := range []struct {
				name string
				one  func(user string) error
			}{
				{"projects", func(user string) error {
					_, err := s.ListProjects(ctx, user, ProjectQuery{})
					return err
				}},
				{"projects by name", func(user string) error {
					_, err := s.ListProjects(ctx, user, ProjectQuery{Q: "project 99"})
					return err
				}},
				{"conversations", func(user string) error {
					_, err := s.ListConversations(ctx, user, ConversationQuery{})
					return err
				}},
				{"users by name", func(user string) error {
					_, err := s.ListUsers(ctx, UserQuery{Q: user})
					return err
				}},
				{"users", func(string) error {
					_, err := s.ListUsers(ctx, UserQuery{})
					return err
				}},
			} {
				b.Run(query.name, func(b *testing.B) {
					percentile(b, func(i int) error { return query.one(fmt.Sprintf("user-%d", i%1000)) })
				})
			}
		})
	}
}

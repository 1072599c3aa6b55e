package store

import (
	"testing"
	"time"

	"nanoclaw/internal/models"
)

// CH8 US5: a person keeps prompts, and sees of others what they share.
func TestPromptsAreOnesOwnUnlessShared(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		mine, other := NewID(), NewID()
		add := func(user, name string, shared bool) *models.Prompt {
			clock.advance(time.Second)
			made := &models.Prompt{UserID: user, Name: name, Text: "Review {{file}}.", Shared: shared}
			must(t, s.CreatePrompt(ctx, made))
			return made
		}
		first, second := add(mine, "first", false), add(mine, "second", true)
		add(other, "secret", false)
		theirs := add(other, "theirs", true)
		names := func(user string) (list []string) {
			t.Helper()
			page := Page{Limit: 2}
			for {
				part, err := s.ListPrompts(ctx, user, page)
				must(t, err)
				for _, p := range part.Items {
					list = append(list, p.Name)
				}
				if page.Cursor = part.Next; page.Cursor == "" {
					return list
				}
			}
		}
		wantNames := func(user string, want ...string) {
			t.Helper()
			if got := names(user); len(got) != len(want) {
				t.Errorf("%v, want %v", got, want)
			} else {
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%v, want %v", got, want)
					}
				}
			}
		}
		wantNames(mine, "theirs", "second", "first")
		wantNames(NewID(), "theirs", "second")
		clock.advance(time.Second)
		changed, err := s.ChangePrompt(ctx, mine, first.ID, func(p *models.Prompt) { p.Name = "last" })
		must(t, err)
		if changed.UserID != mine || changed.CreatedAt != first.CreatedAt || changed.Text != first.Text {
			t.Errorf("changed: %+v", changed)
		}
		wantNames(mine, "last", "theirs", "second")
		_, err = s.ChangePrompt(ctx, mine, theirs.ID, func(p *models.Prompt) { p.Text = "x" })
		wantCode(t, err, CodeNotFound)
		wantCode(t, s.DeletePrompt(ctx, mine, theirs.ID), CodeNotFound)
		must(t, s.DeletePrompt(ctx, mine, second.ID))
		wantCode(t, s.DeletePrompt(ctx, mine, second.ID), CodeNotFound)
		wantNames(mine, "last", "theirs")
	})
}

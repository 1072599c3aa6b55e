package store

import (
	"slices"
	"testing"

	"nanoclaw/internal/models"
)

// WS6: what is deleted is noted with it, until it is made anew or a time has passed.
func TestDeletionsAreNotedForWhoDeletesFiles(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		user := models.User{Name: "somebody", Role: "user"}
		must(t, s.CreateUser(ctx, &user))
		project := models.Project{UserID: "u", Name: "p"}
		must(t, s.CreateProject(ctx, &project))
		alone := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(ctx, &alone))
		kept, within := models.Conversation{UserID: "u"}, models.Conversation{UserID: "u", ProjectID: project.ID}
		must(t, s.CreateConversation(ctx, &kept))
		must(t, s.CreateConversation(ctx, &within))
		must(t, s.DeleteConversation(ctx, "u", alone.ID, 0))
		must(t, s.DeleteProject(ctx, "u", project.ID, 0))
		must(t, s.DeleteUser(ctx, user.ID))
		wants := func(want ...Deletion) {
			t.Helper()
			got, err := s.Deletions(ctx)
			must(t, err)
			if len(got) != len(want) {
				t.Errorf("noted is %v, want %v", got, want)
			}
			for _, one := range want {
				if !slices.Contains(got, one) {
					t.Errorf("%v is not noted", one)
				}
			}
		}
		rest := []Deletion{{DeletedConversation, within.ID}, {DeletedProject, project.ID}, {DeletedUser, user.ID}}
		wants(append(rest, Deletion{DeletedConversation, alone.ID})...)
		again := models.Conversation{ID: alone.ID, UserID: "u"}
		must(t, s.CreateConversation(ctx, &again))
		wants(rest...)
		still, err := s.StillDeleted(ctx, Deletion{DeletedConversation, alone.ID})
		must(t, err)
		if still {
			t.Error("a conversation that was made anew is still deleted")
		}
		must(t, s.DeleteConversation(ctx, "u", again.ID, 0)) // noted once more
		wants(append(rest, Deletion{DeletedConversation, alone.ID})...)
		n, err := s.PurgeDeletions(ctx, s.now()+1)
		must(t, err)
		if n != 4 {
			t.Errorf("%d were forgotten, want 4", n)
		}
		wants()
	})
}

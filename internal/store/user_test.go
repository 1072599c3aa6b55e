package store

import (
	"fmt"
	"slices"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

func TestTheLocalUserIsMadeOnceAndKeepsItsChanges(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		user, err := s.EnsureLocalUser(t.Context())
		must(t, err)
		if user.ID != models.LocalUserID || user.Role != "admin" {
			t.Errorf("the local user is %+v", *user)
		}
		_, err = s.UpdateUser(t.Context(), user.ID, func(u *models.User) error {
			u.Timezone = "Asia/Shanghai"
			return nil
		})
		must(t, err)
		again, err := s.EnsureLocalUser(t.Context())
		must(t, err)
		if again.Timezone != "Asia/Shanghai" || again.Name != user.Name {
			t.Errorf("the second time it is %+v", *again)
		}
		users, err := s.ListUsers(t.Context(), UserQuery{})
		must(t, err)
		if len(users.Items) != 1 {
			t.Errorf("there are %d users", len(users.Items))
		}
		_, err = s.UpdateUser(t.Context(), NewID(), func(*models.User) error { return nil })
		wantCode(t, err, CodeNotFound)
	})
}

// US7: the accounts are read in pages by name, each once, also while others are made; a part
// of the name finds them, and signs of patterns are only signs.
func TestAccountsAreListedInPages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		var want []string
		for i := range 7 {
			want = append(want, fmt.Sprintf("user-%d", i))
		}
		for _, name := range append([]string{"a_b", "a-b", "李雷", "zoë@example.com"}, want...) {
			must(t, s.CreateUser(t.Context(), &models.User{Name: name, Role: models.AccountUser}))
		}
		query, got := UserQuery{Q: "user", Page: Page{Limit: 3}}, []string(nil)
		for pages := 1; ; pages++ {
			part, err := s.ListUsers(t.Context(), query)
			must(t, err)
			got = append(got, accountNames(part.Items)...)
			if pages == 1 {
				must(t, s.CreateUser(t.Context(), &models.User{Name: "a-user", Role: models.AccountUser}))
			}
			if query.Cursor = part.Next; part.Next == "" || pages == 4 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %q, want %q", got, want)
		}
		for q, want := range map[string][]string{"a_": {"a_b"}, "%": nil, "李": {"李雷"}, "zoë@": {"zoë@example.com"}} {
			part, err := s.ListUsers(t.Context(), UserQuery{Q: q})
			must(t, err)
			if got := accountNames(part.Items); !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
		for _, cursor := range []string{"x", position{No: 3}.cursor(), position{ID: "a", At: 1}.cursor()} {
			_, err := s.ListUsers(t.Context(), UserQuery{Page: Page{Cursor: cursor}})
			wantCode(t, err, CodeInvalidArgument)
		}
	})
}

func accountNames(users []models.User) (list []string) {
	for _, u := range users {
		list = append(list, u.Name)
	}
	return list
}

// US4: what agents do for a disabled account, in its projects or in those of others, is without
// access, and so is what a viewer has started; a member's run in a viewer's project is not.
func TestRunsOfWhoMayNotRunAreFound(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		for name, user := range map[string]models.User{"user": {Role: models.AccountUser},
			"viewer":   {Role: models.AccountViewer},
			"disabled": {Role: models.AccountUser, DisabledAt: 1}} {
			user.ID, user.Name = name, name
			must(t, s.CreateUser(t.Context(), &user))
		}
		var want []string
		for _, c := range []struct {
			owner, actor, status string
			stops                bool
		}{
			{"user", "", models.RunRunning, false},
			{"user", "viewer", models.RunRunning, true},
			{"user", "disabled", models.RunWaitingApproval, true},
			{"viewer", "", models.RunQueued, true},
			{"viewer", "user", models.RunRunning, false},
			{"disabled", "", models.RunRunning, true},
			{"disabled", "user", models.RunRunning, true},
			{"viewer", "", models.RunCompleted, false},
		} {
			conversation := &models.Conversation{UserID: c.owner}
			must(t, s.CreateConversation(t.Context(), conversation))
			run := models.Run{ID: NewID(), ConversationID: conversation.ID, UserID: c.owner, ActorID: c.actor, Status: c.status}
			must(t, s.tx(t.Context(), func(tx *gorm.DB) error { return tx.Create(&run).Error }))
			if c.stops {
				want = append(want, run.ID)
			}
		}
		runs, err := s.RunsWithoutAccess(t.Context())
		must(t, err)
		var got []string
		for _, run := range runs {
			got = append(got, run.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("without access are %q, want %q", got, want)
		}
	})
}

package store

import (
	"fmt"
	"slices"
	"testing"

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

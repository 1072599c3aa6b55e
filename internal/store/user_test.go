package store

import (
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
		users, err := s.ListUsers(t.Context())
		must(t, err)
		if len(users) != 1 {
			t.Errorf("there are %d users", len(users))
		}
		_, err = s.UpdateUser(t.Context(), NewID(), func(*models.User) error { return nil })
		wantCode(t, err, CodeNotFound)
	})
}

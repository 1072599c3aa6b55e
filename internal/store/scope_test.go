package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// US4, US5, CH1: a search finds what is in the projects that are shared with a user, and
// nothing else of their owners, however much of it there is.
func TestSearchFindsWhatIsShared(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		for _, name := range []string{"anna", "ben", "eve"} {
			must(t, s.CreateUser(t.Context(), &models.User{ID: name, Name: name, Role: models.AccountUser}))
		}
		made := map[string]models.Conversation{}
		for name, of := range map[string]struct{ owner, member, role string }{
			"edited": {"anna", "ben", models.MemberEditor}, "viewed": {"anna", "ben", models.MemberViewer},
			"other": {"eve", "anna", models.MemberEditor}, "private": {owner: "anna"},
		} {
			project := models.Project{UserID: of.owner, Name: name}
			must(t, s.CreateProject(t.Context(), &project))
			if of.member != "" {
				must(t, s.PutMember(t.Context(), of.owner, models.ProjectMember{ProjectID: project.ID, UserID: of.member,
					Role: of.role}))
			}
			conv := models.Conversation{UserID: of.owner, ProjectID: project.ID, Title: "about " + name}
			must(t, s.CreateConversation(t.Context(), &conv))
			addMessageOf(t, s, of.owner, conv.ID, "the harvest of 东京 "+name)
			made[name] = conv
		}
		own := models.Conversation{UserID: "ben", Title: "own"}
		must(t, s.CreateConversation(t.Context(), &own))
		addMessageOf(t, s, "ben", own.ID, "my harvest of 东京")
		for range 60 { // more than a page, written last
			addMessageOf(t, s, "anna", made["private"].ID, "the harvest of 东京 again")
		}
		find := func(level Level, user, query, project string) []string {
			t.Helper()
			ctx := WithLevel(t.Context(), level)
			hits, err := s.Search(ctx, user, SearchQuery{Text: query, ProjectID: project, Page: Page{Limit: 50}})
			must(t, err)
			list, err := s.ListConversations(ctx, user, ConversationQuery{Q: query, ProjectID: project})
			must(t, err)
			var found, listed []string
			for _, hit := range hits.Items {
				found = append(found, hit.Title)
			}
			for _, conv := range list.Items {
				listed = append(listed, conv.Title)
			}
			slices.Sort(found)
			slices.Sort(listed)
			if found = slices.Compact(found); !slices.Equal(found, listed) {
				t.Errorf("%s searches %q: the hits are of %q, the list is %q", user, query, found, listed)
			}
			return found
		}
		for _, c := range []struct {
			level                Level
			user, query, project string
			want                 []string
		}{
			{ViewersToo, "ben", "harvest", "", []string{"about edited", "about viewed", "own"}},
			{ViewersToo, "ben", "东京", "", []string{"about edited", "about viewed", "own"}},
			{ViewersToo, "ben", "harv 东京", "", []string{"about edited", "about viewed", "own"}},
			{ViewersToo, "ben", "harvest", made["viewed"].ProjectID, []string{"about viewed"}},
			{ViewersToo, "ben", "harvest", made["private"].ProjectID, nil},
			{ViewersToo, "ben", "private", "", nil},
			{ViewersToo, "ben", "about", "", []string{"about edited", "about viewed"}},
			{EditorsToo, "ben", "harvest", "", []string{"about edited", "own"}},
			{OwnersOnly, "ben", "harvest", "", []string{"own"}},
			{ViewersToo, "anna", "about", "", []string{"about edited", "about other", "about private", "about viewed"}},
			{ViewersToo, "eve", "harvest", "", []string{"about other"}},
			{ViewersToo, "nobody", "harvest", "", nil},
		} {
			if got := find(c.level, c.user, c.query, c.project); !slices.Equal(got, c.want) {
				t.Errorf("%s at level %d searches %q: %q, want %q", c.user, c.level, c.query, got, c.want)
			}
		}
		must(t, s.DeleteMember(t.Context(), "anna", made["viewed"].ProjectID, "ben"))
		if got := find(ViewersToo, "ben", "harvest", ""); !slices.Equal(got, []string{"about edited", "own"}) {
			t.Errorf("behind the end of a membership: %q", got)
		}
	})
}

func addMessageOf(t *testing.T, s *Store, userID, conversationID, text string) {
	t.Helper()
	message := models.Message{ID: NewID(), ConversationID: conversationID, Role: models.RoleUser, Text: text,
		CreatedAt: s.now()}
	must(t, s.tx(t.Context(), func(tx *gorm.DB) error { return s.insertMessage(tx, userID, &message) }))
}

// US5: a member's lists are read by indexes: no table is read from one end to the other.
func TestAMembersListsReadNoWholeTable(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		crowd(t, s, 100, 4000)
		db := s.read(WithLevel(t.Context(), ViewersToo))
		for name, list := range map[string]func(tx *gorm.DB) *gorm.DB{
			"projects": func(tx *gorm.DB) *gorm.DB {
				return ofProjects(tx, "user-7").Order("updated_at DESC, id DESC").Limit(51).Find(&[]models.Project{})
			},
			"conversations": func(tx *gorm.DB) *gorm.DB {
				return ofConversations(tx, "user-7").Where("NOT hidden").Order("updated_at DESC, id DESC").Limit(51).
					Find(&[]models.Conversation{})
			},
		} {
			explain := "EXPLAIN QUERY PLAN "
			if db.Name() == "postgres" {
				must(t, s.readers.Exec("ANALYZE "+name).Error)
				explain = "EXPLAIN "
			}
			rows, err := db.Raw(explain + db.ToSQL(list)).Rows()
			must(t, err)
			var plan strings.Builder
			columns, err := rows.Columns()
			must(t, err)
			for rows.Next() {
				values := make([]any, len(columns))
				for i := range values {
					values[i] = new(any)
				}
				must(t, rows.Scan(values...))
				fmt.Fprintln(&plan, *values[len(values)-1].(*any))
			}
			must(t, rows.Close())
			for _, whole := range []string{"SCAN " + name + "\n", "Seq Scan on " + name} {
				if strings.Contains(plan.String(), whole) {
					t.Errorf("%s: the plan reads the whole table:\n%s", name, plan.String())
				}
			}
			if !strings.Contains(plan.String(), name) {
				t.Errorf("%s: this is no plan:\n%s", name, plan.String())
			}
		}
	})
}

// crowd fills a store with users who have projects with one conversation each; every user is a
// member in three projects of others.
func crowd(tb testing.TB, s *Store, users, projects int) {
	tb.Helper()
	var people []models.User
	var list []models.Project
	var conversations []models.Conversation
	var members []models.ProjectMember
	for i := range users {
		name := fmt.Sprintf("user-%d", i)
		people = append(people, models.User{ID: name, Name: name, Role: models.AccountUser, CreatedAt: 1, UpdatedAt: 1})
	}
	for i := range projects {
		owner := people[i%users].ID
		at := models.Time(1_000_000 + i)
		list = append(list, models.Project{ID: fmt.Sprintf("project-%d", i), UserID: owner, Name: fmt.Sprint("Project ", i),
			Version: 1, CreatedAt: at, UpdatedAt: at})
		conversations = append(conversations, models.Conversation{ID: fmt.Sprintf("conversation-%d", i), UserID: owner,
			ProjectID: list[i].ID, Version: 1, CreatedAt: at, UpdatedAt: at})
		if i < 3*users {
			members = append(members, models.ProjectMember{ProjectID: list[i].ID, UserID: people[(i+1)%users].ID,
				Role: models.MemberEditor, CreatedAt: 1})
		}
	}
	must(tb, s.tx(tb.Context(), func(tx *gorm.DB) error {
		for _, rows := range []any{&people, &list, &conversations, &members} {
			if err := tx.CreateInBatches(rows, 200).Error; err != nil {
				return err
			}
		}
		return nil
	}))
}

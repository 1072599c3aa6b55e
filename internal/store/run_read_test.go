package store

import (
	"slices"
	"testing"

	"nanoclaw/internal/models"
)

// IF6: root runs are listed in pages, that of the newest status first, to those who may reach them.
func TestRootRunsAreListedInPages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		_, err := s.EnsureLocalUser(ctx)
		must(t, err)
		conv := &models.Conversation{ID: NewID(), UserID: models.LocalUserID}
		must(t, s.CreateConversation(ctx, conv))
		add := func(status string, started, finished models.Time, parent string) string {
			run := &models.Run{ID: NewID(), ConversationID: conv.ID, UserID: models.LocalUserID, AgentPath: "main",
				Status: status, ParentRunID: parent, CreatedAt: 10, StartedAt: started, FinishedAt: finished}
			run.RootRunID = run.ID
			must(t, s.db.Create(run).Error)
			return run.ID
		}
		early := add(models.RunCompleted, 20, 30, "")
		waits := add(models.RunQueued, 0, 0, "")
		late := add(models.RunRunning, 40, 0, "")
		same := add(models.RunFailed, 20, 40, "")
		add(models.RunRunning, 90, 0, late) // a sub-agent
		list := func(query RunQuery) (ids []string, total int64) {
			t.Helper()
			for {
				var found List[models.Run]
				found, total, err = s.RootRuns(ctx, models.LocalUserID, query)
				must(t, err)
				for _, run := range found.Items {
					ids = append(ids, run.ID)
				}
				if query.Cursor = found.Next; query.Cursor == "" {
					return ids, total
				}
			}
		}
		for _, limit := range []int{1, 2, 3, 50} {
			ids, total := list(RunQuery{Page: Page{Limit: limit}})
			if want := []string{same, late, early, waits}; !slices.Equal(ids, want) || total != 4 {
				t.Errorf("pages of %d: %v of %d, want %v", limit, ids, total, want)
			}
		}
		for name, one := range map[string]struct {
			query RunQuery
			want  []string
		}{
			"by status":           {RunQuery{Statuses: []string{models.RunCompleted, models.RunFailed}}, []string{same, early}},
			"of a status of none": {RunQuery{Statuses: []string{}}, nil},
			"by time":             {RunQuery{ChangedSince: 30}, []string{same, late, early}},
			"by conversation":     {RunQuery{ConversationID: NewID()}, nil},
		} {
			if ids, _ := list(one.query); !slices.Equal(ids, one.want) {
				t.Errorf("%s: %v, want %v", name, ids, one.want)
			}
		}
		_, total, err := s.RootRuns(ctx, NewID(), RunQuery{})
		must(t, err)
		if total != 0 {
			t.Errorf("another user sees %d runs", total)
		}
		_, _, err = s.RootRuns(ctx, models.LocalUserID, RunQuery{Page: Page{Cursor: "nonsense"}})
		wantCode(t, err, CodeInvalidArgument)
	})
}

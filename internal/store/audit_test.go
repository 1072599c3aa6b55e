package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

func tools(lines []models.Audit) []string {
	var out []string
	for _, line := range lines {
		out = append(out, line.Tool)
	}
	return out
}

// FS5
func TestTheAuditIsFilteredNewestFirst(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		start := models.TimeOf(clock.now())
		must(t, s.AppendAudit(ctx, nil))
		must(t, s.AppendAudit(ctx, []*models.Audit{
			{Tool: "a", UserID: "u", ConversationID: "c", Outcome: "success", Arguments: "{}", DurationMicros: 12,
				RunID: "r", RootRunID: "r", AgentPath: "main"},
			{Tool: "b", UserID: "v", ConversationID: "c", Outcome: "denied", Kind: "decision", Severity: "HIGH",
				ProjectID: "p", RunID: "s", RootRunID: "r", AgentPath: "main/ü"},
		}))
		clock.advance(time.Hour)
		must(t, s.AppendAudit(ctx, []*models.Audit{{Tool: "a", UserID: "v", ConversationID: "d", Outcome: "success",
			Kind: "call", AgentPath: "mainly"}}))
		later := models.TimeOf(clock.now())
		for _, test := range []struct {
			query AuditQuery
			want  []string
		}{
			{AuditQuery{}, []string{"a", "b", "a"}},
			{AuditQuery{Tool: "b"}, []string{"b"}},
			{AuditQuery{UserID: "v"}, []string{"a", "b"}},
			{AuditQuery{UserID: "v", Outcome: "success"}, []string{"a"}},
			{AuditQuery{ConversationID: "c"}, []string{"b", "a"}},
			{AuditQuery{Since: later}, []string{"a"}},
			{AuditQuery{Since: start, Until: later}, []string{"b", "a"}},
			{AuditQuery{Tool: "x"}, nil},
			{AuditQuery{Kind: "decision"}, []string{"b"}},
			{AuditQuery{ProjectID: "p", Severity: "HIGH"}, []string{"b"}},
			{AuditQuery{RunID: "r"}, []string{"b", "a"}},
			{AuditQuery{RunID: "s"}, []string{"b"}},
			{AuditQuery{AgentPath: "main"}, []string{"b", "a"}},
			{AuditQuery{AgentPath: "main/ü"}, []string{"b"}},
		} {
			list, err := s.ListAudit(ctx, test.query)
			must(t, err)
			if !slices.Equal(tools(list.Items), test.want) || list.Next != "" {
				t.Errorf("%+v gave %v, want %v", test.query, tools(list.Items), test.want)
			}
		}
		n, err := s.PurgeAudit(ctx, later)
		must(t, err)
		if list, err := s.ListAudit(ctx, AuditQuery{}); n != 2 || err != nil || len(list.Items) != 1 {
			t.Errorf("%d lines were deleted, left are %v, %v", n, list.Items, err)
		}
	})
}

func TestTheWholeAuditComesInPagesAndOneByOne(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		var lines []*models.Audit
		var want []string
		for i := range 1201 {
			lines = append(lines, &models.Audit{Tool: fmt.Sprint(i)})
			want = append([]string{fmt.Sprint(i)}, want...)
		}
		must(t, s.AppendAudit(ctx, lines))
		var got []string
		must(t, s.EachAudit(ctx, AuditQuery{}, func(line *models.Audit) error {
			got = append(got, line.Tool)
			return nil
		}))
		if !slices.Equal(got, want) {
			t.Errorf("one by one there are %d lines, want %d in order", len(got), len(want))
		}
		got = nil
		for query := (AuditQuery{Page: Page{Limit: 200}}); ; {
			list, err := s.ListAudit(ctx, query)
			must(t, err)
			got = append(got, tools(list.Items)...)
			if query.Cursor = list.Next; query.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages there are %d lines, want %d in order", len(got), len(want))
		}
		stop := errors.New("stop")
		calls := 0
		err := s.EachAudit(ctx, AuditQuery{}, func(*models.Audit) error {
			calls++
			return stop
		})
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("after %d calls the error is %v", calls, err)
		}
	})
}

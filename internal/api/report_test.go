package api

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

func TestTheAuditIsListedFilteredAndGivenAsCSV(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := func(day string) models.Time {
		moment, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		return models.TimeOf(moment.Add(12 * time.Hour))
	}
	err := h.store.AppendAudit(t.Context(), []*models.Audit{
		{Time: at("2026-01-01"), Kind: "call", Tool: "file_read", UserID: models.LocalUserID, Outcome: "success",
			DurationMicros: 1500, Arguments: `{"path":"a"}`},
		{Time: at("2026-01-02"), Kind: "call", Tool: "file_write", UserID: models.LocalUserID, Outcome: "blocked",
			Detail: "=HYPERLINK(1)"},
		{Time: at("2026-01-03"), Kind: "call", Tool: "file_read", UserID: models.LocalUserID, Outcome: "not_found"},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := into[List[AuditLine]](h.do("GET", "/api/v1/audit?limit=2", nil).is(200))
	if len(list.Items) != 2 || list.NextCursor == nil || list.Items[0].Outcome != "not_found" {
		t.Fatalf("the list is %+v", list)
	}
	rest := into[List[AuditLine]](h.do("GET", "/api/v1/audit?limit=2&cursor="+*list.NextCursor, nil).is(200))
	if len(rest.Items) != 1 || rest.Items[0].Duration != 0.0015 || rest.NextCursor != nil {
		t.Errorf("the rest is %+v", rest)
	}
	for query, want := range map[string]int{
		"tool=file_read": 2, "outcome=blocked": 1, "user=" + models.LocalUserID: 3, "user=nobody": 0,
		"conversation=none": 0,
		"since=2026-01-02":  2, "until=2026-01-02": 2, "since=2026-01-02T13:00:00Z": 1,
		"since=2026-01-02&until=2026-01-02": 1,
	} {
		if got := into[List[AuditLine]](h.do("GET", "/api/v1/audit?"+query, nil).is(200)); len(got.Items) != want {
			t.Errorf("%s gives %d lines, want %d", query, len(got.Items), want)
		}
	}
	table := h.do("GET", "/api/v1/audit?outcome=blocked", nil, "Accept", "text/csv").is(200)
	if got := table.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("it came as %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "id" || rows[1][9] != "file_write" ||
		rows[1][14] != "'=HYPERLINK(1)" {
		t.Errorf("the table is %v, %v", rows, err)
	}
}

// CH14: what a turn cost is added up by day and model.
func TestUsageIsAddedUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	p := h.newProject()
	h.say(h.newConversation(m{"project_id": p.ID}).ID, "hi")
	h.say(h.newConversation(m{}).ID, "hi")
	day := time.Now().UTC().Format(time.DateOnly)
	byModel := into[List[UsageRow]](h.do("GET", "/api/v1/usage?group_by=model", nil).is(200))
	if len(byModel.Items) != 1 || byModel.Items[0].Key != "m" || byModel.Items[0].Turns != 2 ||
		byModel.Items[0].TotalTokens == 0 {
		t.Errorf("by model %+v", byModel.Items)
	}
	byProject := into[List[UsageRow]](h.do("GET", "/api/v1/usage?period=monthly&group_by=project", nil).is(200))
	if len(byProject.Items) != 2 || byProject.Items[0].Period != day[:8]+"01" {
		t.Errorf("by project %+v", byProject.Items)
	}
	h.do("GET", "/api/v1/usage?until=2020-01-01", nil).is(200, `"items":[]`)
}

func TestModelsToolsAndAgentsAreListed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	list := into[List[Model]](h.do("GET", "/api/v1/models", nil).is(200))
	if len(list.Items) != 2 || !list.Items[0].Default || list.Items[1].Default || list.Items[1].Reason == "" {
		t.Errorf("models %+v", list.Items)
	}
	tools := into[List[Tool]](h.do("GET", "/api/v1/tools", nil).is(200, `"parameters":{"type":"object"`))
	if len(tools.Items) != 2 || tools.Items[0].Disabled || !tools.Items[1].Disabled ||
		tools.Items[0].Effect != "pure" || tools.Items[0].Category != "text" {
		t.Errorf("tools %+v", tools.Items)
	}
	agents := into[List[Agent]](h.do("GET", "/api/v1/agents", nil).is(200))
	if len(agents.Items) != 2 || !agents.Items[0].Default || agents.Items[0].ID != "default" ||
		agents.Items[1].ID != "writer" {
		t.Errorf("agents %+v", agents.Items)
	}
	h.do("GET", "/api/v1/auth/me", nil).is(200, models.LocalUserID, `"auth_mode":"single"`, `"role":"admin"`)
}

package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nanoclaw/internal/models"
)

// FS5, SH9: all lines of a filter come as JSON lines and as a table, in order, and
// nothing in the table runs as a formula.
func TestTheAuditIsExportedAsAWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var rows []*models.Audit
	for i := range 1203 {
		rows = append(rows, &models.Audit{Kind: "call", Tool: fmt.Sprint("t", i), Outcome: "success",
			Detail: "line\nwith \"quotes\", and <more>"})
	}
	risky := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", " =1", "＝1", "|calc", "%x"}
	for _, text := range risky {
		rows = append(rows, &models.Audit{Kind: "decision", Tool: text, AgentPath: text, Arguments: text, Detail: text})
	}
	if err := h.store.AppendAudit(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{"application/jsonl", "application/x-ndjson;q=1, */*"} {
		a := h.do("GET", "/api/v1/audit?kind=call&limit=2", nil, "Accept", accept).is(200)
		if got := a.header.Get("Content-Type"); !strings.HasPrefix(accept, got) ||
			!strings.Contains(a.header.Get("Content-Disposition"), "audit.jsonl") {
			t.Errorf("it came as %s, %s", got, a.header.Get("Content-Disposition"))
		}
		decoder := json.NewDecoder(strings.NewReader(a.body))
		for i := 1202; i >= 0; i-- {
			var line AuditLine
			if err := decoder.Decode(&line); err != nil || line.Tool != fmt.Sprint("t", i) || line.Hash == "" {
				t.Fatalf("line %d is %+v, %v", i, line, err)
			}
		}
		if decoder.More() || strings.Count(a.body, "\n") != 1203 {
			t.Error("there is more than the filter selects")
		}
	}
	table, err := csv.NewReader(strings.NewReader(h.do("GET", "/api/v1/audit", nil, "Accept",
		"text/csv, application/json").is(200).body)).ReadAll()
	if err != nil || len(table) != 1+len(rows) {
		t.Fatalf("the table has %d lines, %v", len(table), err)
	}
	for i := range risky {
		for _, column := range []int{8, 9, 10, 14} {
			if got := table[1+i][column]; !strings.HasPrefix(got, "'") {
				t.Errorf("a cell is %q", got)
			}
		}
	}
	h.do("GET", "/api/v1/audit", nil, "Accept", "application/json, text/csv").is(200, `"items":[`)
}

// FS5: the audit is filtered by everything that a row says of who and what.
func TestTheAuditHasAFilterForEachQuestion(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	err := h.store.AppendAudit(t.Context(), []*models.Audit{
		{Kind: "call", ProjectID: "p", RunID: "r", RootRunID: "r", AgentPath: "main", Severity: "LOW"},
		{Kind: "call", ProjectID: "q", RunID: "s", RootRunID: "r", AgentPath: "main/research"},
		{Kind: "decision", RunID: "o", RootRunID: "o", AgentPath: "mainframe", Severity: "HIGH"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"kind=decision": 1, "project=q": 1, "run=r": 2, "run=s": 1, "agent=main": 2, "agent=main%2Fresearch": 1,
		"severity=HIGH": 1, "kind=call&severity=HIGH": 0,
	} {
		if got := into[List[AuditLine]](h.do("GET", "/api/v1/audit?"+query, nil).is(200)); len(got.Items) != want {
			t.Errorf("%s gives %d lines, want %d", query, len(got.Items), want)
		}
	}
	h.do("GET", "/api/v1/audit?kind=x", nil).is(422)
	h.do("GET", "/api/v1/audit?since=x", nil, "Accept", "text/csv").is(422)
}

// FS5: every change of files over the API has its row, also one that is refused.
func TestChangesOverTheAPIAreAudited(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.newProject()
	base := "/api/v1/projects/" + p.ID
	h.do("PUT", base+"/files/a/b.txt", "x").is(201)
	h.do("PUT", base+"/files/a%2F..%2F..%2Fc", "x").is(403)
	h.do("POST", base+"/move", m{"from": "a/b.txt", "to": "c.txt"}).is(200)
	h.do("POST", base+"/directories", m{"path": "d"}).is(201)
	form, kind := formOf(t, "e.txt", "body")
	h.do("POST", base+"/upload?path=d", form.Bytes(), "Content-Type", kind).is(201)
	h.do("DELETE", base+"/files/d?recursive=true", nil).is(204)
	h.do("DELETE", base+"/files/none", nil).is(404)
	want := [][3]string{
		{"delete-file", "not_found", "/none"}, {"delete-file", "success", "/d"}, {"upload-files", "success",
			"/d/e.txt"},
		{"make-directory", "success", "/d"}, {"move-file", "success", "/c.txt"}, {"write-file", "access_denied", ""},
		{"write-file", "success", "/a/b.txt"},
	}
	list := into[List[AuditLine]](h.do("GET", "/api/v1/audit?kind=request&project="+p.ID, nil).is(200))
	if len(list.Items) != len(want) {
		t.Fatalf("there are %d rows, want %d: %+v", len(list.Items), len(want), list.Items)
	}
	for i, line := range list.Items {
		if line.Tool != want[i][0] || line.Outcome != want[i][1] || !strings.HasSuffix(line.ResolvedPath, want[i][2]) ||
			line.UserID != models.LocalUserID {
			t.Errorf("row %d is %+v, want %v", i, line, want[i])
		}
	}
	if !strings.Contains(list.Items[4].Arguments, `"from":"a/b.txt"`) || !strings.Contains(list.Items[1].Arguments,
		`"recursive":true`) {
		t.Errorf("arguments are %s and %s", list.Items[4].Arguments, list.Items[1].Arguments)
	}
}

func formOf(t *testing.T, name, content string) (*bytes.Buffer, string) {
	t.Helper()
	const boundary = "border"
	text := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" +
		content + "\r\n--" + boundary + "--\r\n"
	return bytes.NewBufferString(text), "multipart/form-data; boundary=" + boundary
}

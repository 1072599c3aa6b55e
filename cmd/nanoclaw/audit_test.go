package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FS5, SH9: the record of what was done is verified beside a running server, and
// a change of it is told with the row.
func TestAuditVerifyTellsWhatWasChanged(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.want(1, "", "there is no database", "audit", "verify")
	s := i.serving()
	i.want(0, "42", "", "run", "what is 6*7?")
	i.want(0, "42", "", "run", "what is 6*7?")
	i.want(0, "2 rows checked (1 to 2)\nThe chain holds.\nIts end is 2:", "", "audit", "verify")
	_, end, _ := strings.Cut(strings.TrimSpace(i.out.String()), "Its end is ")
	i.want(0, "The chain holds.", "", "audit", "verify", "--witness", end)
	i.want(1, "row 2 has another hash than was noted", "", "audit", "verify", "--witness", "2:"+strings.Repeat("0", 64))
	i.want(2, "", "--witness is a row's number", "audit", "verify", "--witness", "2")
	i.want(2, "", "say verify", "audit")
	s.end()

	file := filepath.Join(i.vars["NANOCLAW_DATA"], "nanoclaw.db")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	i.want(0, "2 rows checked", "", "audit", "verify")
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the check changed the database: %v", err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE audit SET arguments = '{}' WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	i.want(1, "0 rows checked\nThe chain is broken (content): row 1 was changed", "", "audit", "verify")
}

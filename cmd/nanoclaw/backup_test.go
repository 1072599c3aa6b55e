package main

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CH14
func TestABackupOfARunningServerRestoresElsewhere(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	s := i.serving()
	api := newClient(s.url)
	var project struct{ ID string }
	if err := api.call(t.Context(), "POST", "/projects", map[string]string{"name": "kept"}, &project); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(i.vars["NANOCLAW_WORKSPACE_ROOT"], project.ID, "notes.txt")
	if err := os.WriteFile(file, []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	i.want(0, "42", "", "run", "what is 6*7?")
	folder := t.TempDir()
	i.want(0, ": ", "", "backup", folder)
	if !strings.Contains(i.out.String(), ", 1 project\n") {
		t.Error(i.out.String())
	}
	archive, _, _ := strings.Cut(i.out.String(), ":")
	s.end()

	other := newInvocation(t)
	other.want(0, "(nanoclaw dev): 1 project\n", "", "restore", archive)
	restored := other.serving()
	var got struct {
		Items []struct{ ID, Name, Title string }
	}
	if err := newClient(restored.url).call(t.Context(), "GET", "/projects", nil, &got); err != nil ||
		len(got.Items) != 1 || got.Items[0].Name != "kept" {
		t.Errorf("%+v, %v", got, err)
	}
	response, err := http.Get(restored.url + "/api/v1/projects/" + project.ID + "/files/notes.txt")
	if err != nil || response.StatusCode != 200 {
		t.Errorf("the project's file: %v, %v", response, err)
	}
	response.Body.Close()
	if err := newClient(restored.url).call(t.Context(), "GET", "/conversations?q=42", nil, &got); err != nil ||
		len(got.Items) != 1 {
		t.Errorf("search in the restored messages: %+v, %v", got, err)
	}
}

// CH14
func TestRestoreRefusesToReplaceDataUnlessForced(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.want(0, "", "", "run", "what is 1+1?")
	archive := i.archive()
	i.want(1, "", "is there already: nothing was changed; --force puts it aside", "restore", archive)
	i.want(0, "What was there before is in "+i.vars["NANOCLAW_DATA"], "", "restore", "--force", archive)
	if !strings.Contains(i.out.String(), "Restored the backup of ") {
		t.Error(i.out.String())
	}
	i.want(0, "", "", "run", "what is 2+2?")
	i.configure(quiet + "max_iterations: 7\n")
	i.want(0, "stays as it is; that of the backup is in "+i.vars["NANOCLAW_CONFIG"]+".from-backup", "", "restore",
		"--force", archive)
	i.want(1, "", "no such file", "restore", "--force", archive+"x")
}

// CH14
func TestTheConfigurationComesWithTheBackupWhereThereIsNone(t *testing.T) {
	i := newInvocation(t)
	elsewhere := filepath.Join(i.dir, "elsewhere")
	delete(i.vars, "NANOCLAW_DATA")
	i.configure(quiet + "data_dir: " + elsewhere + "\n")
	i.want(0, "", "", "run", "what is 1+1?")
	archive := i.archive()

	t.Chdir(t.TempDir())
	delete(i.vars, "NANOCLAW_CONFIG")
	i.vars["NANOCLAW_WORKSPACE_ROOT"] = "workspaces"
	i.want(0, "Its configuration is in config.yml\n",
		`the restored configuration says data_dir: "`+elsewhere+`", but the data was restored to "./data"`, "restore",
		archive)
	i.want(0, elsewhere, "", "config", "get", "data_dir")
	if info, err := os.Stat("config.yml"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat("data/nanoclaw.db"); err != nil {
		t.Error(err)
	}
}

// CH14
func TestAnOlderProgramRefusesTheDatabaseOfANewerOne(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.want(0, "", "", "run", "what is 1+1?")
	db, err := sql.Open("sqlite", filepath.Join(i.vars["NANOCLAW_DATA"], "nanoclaw.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO migrations (id) VALUES ('9999_of_the_future')"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	const message = "a newer version of nanoclaw has written this database (migration 9999_of_the_future " +
		"is unknown here)"
	i.want(1, "", message, "serve", "--listen", "127.0.0.1:0")
	i.want(1, "", message, "run", "x")
	archive := i.archive() // a backup is made all the same
	i.want(1, "", message, "restore", archive, "--data", filepath.Join(i.dir, "other"))
}

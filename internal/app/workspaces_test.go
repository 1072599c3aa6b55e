package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/runs/eventlog/natstest"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// WS2, WS3, WS5: in mode remote an agent's knowledge is in the store and apart by
// session, the rest of the project is on the disk, and no command can be run.
func TestRemoteWorkspaceOfConversations(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.UserContains("remember")).Steps(
		calls(t, "file_write", args{"path": "MEMORY.md", "content": "the blue one"},
			"file_write", args{"path": "notes.md", "content": "for everybody"}),
		llmtest.Text("done"))
	model.On(llmtest.UserContains("recall")).Steps(
		calls(t, "file_read", args{"path": "MEMORY.md"}, "file_read", args{"path": "notes.md"}),
		llmtest.Text("done"))
	h := newHouse(t, scripted(model, "guard: {level: off}\n"+
		"workspace: {mode: remote, isolation_scope: session, shared_prefixes: [reports/]}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	first := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	second := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	run := h.send(first, "remember")
	if status, results := h.ended(run); status != "completed" {
		t.Fatalf("the run %s: %q", status, results)
	}
	if names := model.Requests(llmtest.UserContains("remember"))[0].ToolNames(); slices.Contains(names,
		"shell_execute") || !slices.Contains(names, "file_write") {
		t.Errorf("the model is offered %q", names)
	}
	_, results := h.ended(h.send(second, "recall"))
	if all := strings.Join(results, "\n"); strings.Contains(all, "blue") || !strings.Contains(all, "for everybody") {
		t.Errorf("another conversation reads %s", all)
	}
	_, results = h.ended(h.send(first, "recall"))
	if all := strings.Join(results, "\n"); !strings.Contains(all, "the blue one") {
		t.Errorf("the conversation itself reads %s", all)
	}
	base := "/api/v1/projects/" + project
	if got := h.text(base + "/files/MEMORY.md?conversation=" + first); got != "the blue one" {
		t.Errorf("the API shows %q", got)
	}
	if got := h.text(base + "/files/MEMORY.md?conversation=" + second); strings.Contains(got, "blue") {
		t.Errorf("the API shows another conversation %q", got)
	}
	if status := h.call("GET", base+"/files?conversation=nobodys", "", nil); status != 404 {
		t.Errorf("an unknown conversation is %d", status)
	}
	onDisk, err := os.ReadDir(filepath.Join(h.dir, "workspaces", project))
	if err != nil || len(onDisk) != 1 || onDisk[0].Name() != "notes.md" {
		t.Errorf("on the disk there is %v, %v", onDisk, err)
	}
	// The store is read again after a restart, and goes with the project.
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	h.start()
	if got := h.text(base + "/files/MEMORY.md?conversation=" + first); got != "the blue one" {
		t.Errorf("after a restart the API shows %q", got)
	}
	// CH11: also in shared files of a conversation.
	var changed changesSeen
	h.call("GET", "/api/v1/runs/"+run+"/changes", "", &changed)
	if len(changed.Items) != 2 || changed.Items[0].Path != "MEMORY.md" ||
		!strings.Contains(changed.Items[0].Diff, "+the blue one") {
		t.Errorf("the run changed %+v", changed)
	}
	archive := h.text(base + "/archive?conversation=" + first)
	if !strings.Contains(archive, "MEMORY.md") || !strings.Contains(archive, "notes.md") {
		t.Error("the archive does not hold both files")
	}
	var outcomes outcomesSeen
	h.call("POST", "/api/v1/runs/"+run+"/revert", "", &outcomes)
	if got := outcomes.String(); got != "reverted MEMORY.md, reverted notes.md" {
		t.Errorf("reverting is %s", got)
	}
	if status := h.call("GET", base+"/files/MEMORY.md?conversation="+first, "", &struct{}{}); status != 404 {
		t.Errorf("after reverting the shared file is %d", status)
	}
	if status := h.call("DELETE", base, "", nil); status != 204 {
		t.Errorf("deleting the project is %d", status)
	}
}

// WS5, WS7: each scope shares an agent's knowledge with those that it names and nobody
// else, whatever the path says; the project's disk is below everybody's.
func TestIsolationScopesOfSharedFiles(t *testing.T) {
	t.Parallel()
	one := workspace.Access{UserID: "u1", ConversationID: "c1", AgentID: "a1"}
	others := map[string]workspace.Access{
		"another session": {UserID: "u1", ConversationID: "c2", AgentID: "a1"},
		"another user":    {UserID: "u2", ConversationID: "c3", AgentID: "a1"},
		"another agent":   {UserID: "u1", ConversationID: "c1", AgentID: "a2"},
		"nobody":          {},
	}
	disk := workspace.NewLocal(t.TempDir(), nil)
	if _, err := disk.Write(t.Context(), "AGENTS.md", []byte("on the disk"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for scope, sees := range map[string]string{
		"session": "another agent",
		"user":    "another session, another agent",
		"agent":   "another session, another user",
		"global":  "another session, another user, another agent, nobody",
	} {
		c := config.Default()
		c.Workspace.Mode, c.Workspace.IsolationScope = config.RemoteMode, scope
		w := &workspaces{live: config.Fixed(c), options: remote.Options{Dir: t.TempDir()}}
		t.Cleanup(w.close)
		open := func(access workspace.Access) workspace.Filesystem {
			files, err := w.openRemote(t.Context(), workspace.Opening{ProjectID: "p", Access: access, Local: disk,
				Limits: func() workspace.Limits { return workspace.Limits{} }})
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
		knowledge := []string{"memory/secret", "skills/private/SKILL.md", "MEMORY.md"}
		for _, path := range knowledge {
			if _, err := open(one).Write(t.Context(), path, []byte("x"), workspace.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for who, access := range others {
			files := open(access)
			for _, path := range knowledge {
				there, err := files.Exists(t.Context(), path)
				if want := strings.Contains(sees, who); err != nil || there != want {
					t.Errorf("scope %s: %s sees %s: %v, %v; want %v", scope, who, path, there, err, want)
				}
			}
			if got, err := files.Read(t.Context(), "AGENTS.md", 0, 0); err != nil || string(got.Data) != "on the disk" {
				t.Errorf("scope %s: %s reads %q, %v", scope, who, got.Data, err)
			}
			for _, path := range []string{"memory/../../user/u1/memory/secret", "../" + scopeOf(c, one) + "/memory/secret"} {
				if there, err := files.Exists(t.Context(), path); there || err == nil {
					t.Errorf("scope %s: %s reaches %s: %v", scope, who, path, err)
				}
			}
		}
	}
}

// WS3: a store that cannot be opened is a clear error, and local files go on.
func TestLocalFilesGoOnWhereTheStoreCannotBeOpened(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Workspace.Mode = config.RemoteMode
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &workspaces{live: config.Fixed(c), options: remote.Options{Dir: filepath.Join(file, "below")}}
	files, err := w.openRemote(
		t.Context(),
		workspace.Opening{ProjectID: "p", Local: workspace.NewLocal(t.TempDir(), nil),
			Limits: func() workspace.Limits { return workspace.Limits{} }},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(t.Context(), "notes.md", []byte("x"), workspace.WriteOptions{}); err != nil {
		t.Errorf("a local file cannot be written: %v", err)
	}
	if _, err := files.Read(t.Context(), "MEMORY.md", 0, 0); !workspace.IsCode(err, workspace.CodeUnavailable) {
		t.Errorf("a shared file is %v", err)
	}
}

// WS4, WS7: with NATS servers elsewhere shared files are there, for every server that
// uses them, and apart from those of installations with another prefix.
func TestSharedFilesAreOnTheConfiguredServers(t *testing.T) {
	t.Parallel()
	cluster, err := natstest.Start(t.TempDir(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	open := func(prefix string) workspace.Filesystem {
		c := config.Default()
		c.DataDir, c.NATS.URL, c.NATS.Prefix = t.TempDir(), strings.Join(cluster.URLs(), ","), prefix
		a := &App{Live: config.Fixed(c), Logger: slog.New(slog.DiscardHandler)}
		w := newWorkspaces(a)
		t.Cleanup(func() { w.sandboxes.Close(context.Background()); w.close() })
		store, err := w.remoteStore(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if made, err := os.ReadDir(c.DataDir); err != nil || len(made) != 0 {
			t.Errorf("in data_dir there is %v, %v", made, err)
		}
		return store.Files(remote.Namespace{Project: "p"}, nil)
	}
	one, two, other := open("x"), open("x"), open("y")
	if _, err := one.Write(t.Context(), "f", []byte("shared"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := two.Read(t.Context(), "f", 0, 0); err != nil || string(got.Data) != "shared" {
		t.Errorf("another server reads %q, %v", got.Data, err)
	}
	if there, err := other.Exists(t.Context(), "f"); err != nil || there {
		t.Errorf("an installation with another prefix sees it: %v, %v", there, err)
	}
}

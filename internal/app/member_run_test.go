package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// US4: in a conversation of a shared project a member's run uses every tool as the owner's
// does, and what it hands over can be read by both.
func TestARunOfAMemberUsesTheToolsOfASharedProject(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	a := memberApp(t, model.URL())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	member := &models.User{Name: "colleague", Role: "user"}
	project := &models.Project{UserID: models.LocalUserID, Name: "shared"}
	for _, err := range []error{a.Store.CreateUser(ctx, member), a.Store.CreateProject(ctx, project)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err := a.Store.PutMember(ctx, models.LocalUserID, models.ProjectMember{ProjectID: project.ID, UserID: member.ID,
		Role: models.MemberEditor})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(a.Live.Current().WorkspaceRoot, project.ID)
	writeFile(t, filepath.Join(dir, "report.txt"), "done")
	writeFile(t, filepath.Join(dir, "skills", "greet", "SKILL.md"), "---\nname: greet\ndescription: how to greet\n---\nSay hi.\n")
	conversation := &models.Conversation{UserID: models.LocalUserID, ProjectID: project.ID, ToolsEnabled: true}
	if err := a.Store.CreateConversation(ctx, conversation); err != nil {
		t.Fatal(err)
	}

	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	model.On(llmtest.User("in the background")).Reply(llmtest.Text("slowly").At(gate))
	model.On(llmtest.User("use them")).Func(func(r llmtest.Request) llmtest.Reply {
		switch r.Step() {
		case 1:
			return llmtest.Calls(llmtest.Call{Name: "file_write", Arguments: `{"path":"new.txt","content":"x"}`},
				llmtest.Call{Name: "read_skill", Arguments: `{"name":"greet"}`},
				llmtest.Call{Name: "send_file_to_user", Arguments: `{"path":"report.txt"}`},
				llmtest.Call{Name: "get_token_usage", Arguments: `{}`},
				llmtest.Call{Name: "submit_agent_task", Arguments: `{"instruction":"in the background"}`})
		case 2:
			for _, message := range r.Messages {
				if id := regexp.MustCompile(`"task_id":"([0-9a-f-]{36})"`).FindStringSubmatch(message.Text); id != nil {
					return llmtest.Calls(llmtest.Call{Name: "cancel_agent_task", Arguments: `{"task_id":"` + id[1] + `"}`})
				}
			}
		}
		return llmtest.Text("all of them")
	})
	asMember := store.WithLevel(ctx, store.EditorsToo)
	run, err := a.Runs.StartTurn(asMember, runs.StartRequest{UserID: member.ID, ConversationID: conversation.ID,
		Text: "use them"})
	if err != nil {
		t.Fatal(err)
	}
	awaitRun(t, a, run.ID)
	message, err := a.Store.GetMessage(ctx, models.LocalUserID, run.AssistantMessageID)
	if err != nil {
		t.Fatal(err)
	}
	var records []tools.Record
	if err := json.Unmarshal(message.ToolCalls, &records); err != nil {
		t.Fatal(err)
	}
	if len(records) != 6 {
		t.Errorf("%d calls of 6: %s", len(records), message.Text)
	}
	var sent []tools.SentFile
	for _, record := range records {
		if !record.Success {
			t.Errorf("%s answered %s", record.Function.Name, record.Result)
		}
		sent = append(sent, record.Files...)
	}
	if len(sent) != 1 {
		t.Fatalf("%d files were sent", len(sent))
	}
	asOwner := store.WithLevel(ctx, store.ViewersToo) // of a request that reads
	if _, err := a.Store.GetUpload(asOwner, models.LocalUserID, sent[0].UploadID); err != nil {
		t.Errorf("the owner cannot read what the member's agent sent: %v", err)
	}
	if _, err := a.Store.GetUpload(asMember, member.ID, sent[0].UploadID); err != nil {
		t.Errorf("the member cannot read it: %v", err)
	}
}

func memberApp(t *testing.T, model string) *App {
	t.Helper()
	return appWith(t, func(c *config.Config) {
		c.DefaultModel = "m"
		c.Models = []config.Model{{ID: "m", Provider: "openai", BaseURL: model, APIKey: "k", Supports: []string{"tools"}}}
	})
}

// appWith starts an app on a scratch directory.
func appWith(t *testing.T, change func(c *config.Config)) *App {
	t.Helper()
	dir := t.TempDir()
	c := *config.Default()
	c.DataDir, c.WorkspaceRoot = filepath.Join(dir, "data"), filepath.Join(dir, "work")
	c.LLM.DiscoverEnv, c.LLM.DiscoverOllama = false, false
	change(&c)
	redactor, err := redact.New(redact.Options{ValuesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), config.Fixed(&c), redactor, slog.New(slog.NewTextHandler(t.Output(), nil)), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return a
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// awaitRun follows a run of the local user to its end.
func awaitRun(t *testing.T, a *App, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	watch, err := a.Runs.WatchRun(ctx, models.LocalUserID, id, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for {
		if _, err := watch.Next(ctx); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

package runs

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// A22: documents become text, what is long becomes a file of the project, and what cannot be read is said.
func TestAttachmentsReachTheModelAsText(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	read := 0
	h.runs.DocumentText = func(_ context.Context, data []byte) (string, error) {
		if read++; string(data) == "broken" {
			return "", errors.New("it is broken")
		}
		return "the text of " + string(data), nil
	}
	kept := map[string]string{}
	h.runs.KeepFile = func(_ context.Context, _, path string, data []byte) error {
		kept[path] = string(data)
		return nil
	}
	project := &models.Project{ID: store.NewID(), UserID: models.LocalUserID, Name: "p"}
	if err := h.store.CreateProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	conv := h.conversation()
	into := func(c *models.Conversation) error { c.ProjectID = project.ID; return nil }
	if _, err := h.store.UpdateConversation(t.Context(), models.LocalUserID, conv.ID, 0, into); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a long line\n", 2000)
	var attachments []models.Attachment
	for _, one := range [][2]string{{"report.PDF", "pages"}, {"old.doc", "broken"}, {"notes.txt", "short"},
		{"data.bin", "a\x00b"}, {"log.txt", long}} {
		upload := models.Upload{UserID: models.LocalUserID, Name: one[0], ContentType: "application/octet-stream",
			Data: []byte(one[1])}
		if err := h.store.CreateUpload(t.Context(), &upload); err != nil {
			t.Fatal(err)
		}
		attachments = append(attachments, models.Attachment{UploadID: upload.ID, Name: upload.Name,
			ContentType: upload.ContentType, Size: upload.Size})
	}
	h.model.On(llmtest.Any()).Reply(llmtest.Text("seen"))
	for _, text := range []string{"first", "second"} {
		request := StartRequest{UserID: models.LocalUserID, ConversationID: conv.ID, Text: text}
		if text == "first" {
			request.Attachments = attachments
		}
		run, err := h.runs.StartTurn(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		h.events(run.ID)
	}
	prompt := h.model.Requests(llmtest.User("second"))[0].Messages[0].Text
	for _, want := range []string{"the text of pages", `"old.doc"`, "cannot be read: it is broken", "short",
		"neither text, a picture nor a document", "of the project: read there"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if len(prompt) > len(long) {
		t.Errorf("the prompt has %d bytes: the long text stands in it", len(prompt))
	}
	for path, text := range kept {
		if !strings.HasSuffix(path, "/log.txt") || text != long || !strings.Contains(prompt, path) {
			t.Errorf("%s was kept with %d bytes", path, len(text))
		}
	}
	if len(kept) != 1 || read != 2 {
		t.Errorf("%d files were kept, and documents read %d times: once each", len(kept), read)
	}
}

// 0096: the limits are the configuration's, and hold from the next turn.
func TestTheLimitsOfAttachedTextAreSettings(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.Attached = AttachedLimits{Inline: 300, Preview: 100, Whole: 4096} })
	kept := ""
	h.runs.KeepFile = func(_ context.Context, _, _ string, data []byte) error { kept = string(data); return nil }
	text := strings.Repeat("0123456789", 100)
	upload := models.Upload{UserID: models.LocalUserID, Name: "a.txt", ContentType: "text/plain", Data: []byte(text)}
	if err := h.store.CreateUpload(t.Context(), &upload); err != nil {
		t.Fatal(err)
	}
	attachment := models.Attachment{UploadID: upload.ID, Name: upload.Name, ContentType: upload.ContentType,
		Size: upload.Size}
	run := &models.Run{Settings: models.RunSettings{ToolsEnabled: true}}
	note := func() string {
		said, err := h.runs.attachmentNote(t.Context(), run, attachment)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if said := note(); kept != "" || len(said) > 500 || len(said) < 300 {
		t.Errorf("without a project %d bytes are told: %s", len(said), said)
	}
	run.ProjectID = "p"
	if said := note(); kept != text || len(said) > 400 {
		t.Errorf("with a project %d bytes are told, and %d kept", len(said), len(kept))
	}
	kept = ""
	h.change(func(s *Settings) { s.Attached.Whole = 500 })
	if said := note(); kept != "" || len(said) > 500 {
		t.Errorf("a text over the limit was kept (%d bytes): %s", len(kept), said)
	}
}

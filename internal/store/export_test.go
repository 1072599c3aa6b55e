package store

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CH7
func TestAnExportImportsAsAConversationOfItsOwn(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		upload := models.Upload{UserID: "u", Name: "a.png", ContentType: "image/png", Data: []byte{1, 2}}
		must(t, s.CreateUpload(ctx, &upload))
		tree := newTree(t, s)
		must(t, s.tx(ctx, func(tx *gorm.DB) error {
			return s.insertMessage(tx, "u", &models.Message{ID: NewID(), ConversationID: tree.conv.ID, ParentID: tree.e.ID,
				RunID: "r",
				Role:  models.RoleAssistant, Text: "with a picture", CreatedAt: s.now() + 1,
				ToolCalls: models.RawJSON(`[{"id":"1","images":[{"upload_id":"` + upload.ID + `"}]}]`),
				Attachments: []models.Attachment{{UploadID: upload.ID, Name: "a.png"},
					{UploadID: NewID(), Name: "lost.png"}}})
		}))
		_, err := s.SwitchBranch(ctx, "u", tree.conv.ID, tree.c.ID)
		must(t, err)
		export, err := s.ExportConversation(ctx, "u", tree.conv.ID)
		must(t, err)
		if len(export.Messages) != 7 || len(export.Uploads) != 1 || !bytes.Equal(export.Uploads[0].Data, upload.Data) {
			t.Fatalf("the export is %+v", *export)
		}

		for _, user := range []string{"u", "v"} {
			conv, err := s.ImportConversation(ctx, user, *export)
			must(t, err)
			if conv.ID == tree.conv.ID || conv.UserID != user {
				t.Errorf("the import is %+v", *conv)
			}
			branch, err := s.Branch(ctx, conv.ID, conv.ActiveLeafID)
			must(t, err)
			if len(branch) != 3 || branch[0].Text != "alpha" || branch[2].Text != "gamma" {
				t.Errorf("its active branch is %+v", branch)
			}
			all, err := s.AllMessages(ctx, user, conv.ID)
			must(t, err)
			last := all[len(all)-1]
			if len(all) != 7 || last.Text != "with a picture" || last.RunID != "" ||
				len(last.Attachments) != 2 || last.Attachments[1] != (models.Attachment{Name: "lost.png"}) {
				t.Fatalf("its messages are %+v", all)
			}
			copied, err := s.GetUpload(ctx, user, last.Attachments[0].UploadID)
			must(t, err)
			if copied.ID == upload.ID || !bytes.Equal(copied.Data, upload.Data) {
				t.Errorf("the copied upload is %+v", *copied)
			}
			if want := `[{"id":"1","images":[{"upload_id":"` + copied.ID + `"}]}]`; string(last.ToolCalls) != want {
				t.Errorf("its tool calls are %s, want %s", last.ToolCalls, want)
			}
			hits, err := s.Search(ctx, user, SearchQuery{Text: "picture"})
			must(t, err)
			if len(hits.Items) == 0 || hits.Items[0].MessageID != last.ID {
				t.Errorf("the search found %+v", hits.Items)
			}
		}
	})
}

func TestAnImportThatIsNoTreeIsRefusedWhole(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		message := func(id, parent string) models.Message {
			return models.Message{ID: id, ParentID: parent, Role: models.RoleUser}
		}
		for name, messages := range map[string][]models.Message{
			"no id":          {message("", "")},
			"one id twice":   {message("a", ""), message("a", "")},
			"unknown parent": {message("a", ""), message("b", "x")},
			"its own parent": {message("a", "a")},
			"a ring":         {message("a", ""), message("b", "c"), message("c", "b")},
			"a strange role": {{ID: "a", Role: "system"}},
		} {
			_, err := s.ImportConversation(t.Context(), "u", Export{Messages: messages})
			if !IsCode(err, CodeInvalidArgument) {
				t.Errorf("%s: %v", name, err)
			}
		}
		list, err := s.ListConversations(t.Context(), "u", ConversationQuery{})
		must(t, err)
		if len(list.Items) != 0 {
			t.Errorf("left is %v", list.Items)
		}
		conv, err := s.ImportConversation(t.Context(), "u", Export{Conversation: models.Conversation{Title: "empty",
			ProjectID: NewID()}})
		must(t, err)
		if conv.ActiveLeafID != "" || conv.ProjectID != "" || conv.Title != "empty" {
			t.Errorf("an empty import is %+v", *conv)
		}
	})
}

// CH8: imported messages without a time are as old as their conversation and keep their order: a
// message that came later would stand for another end of the conversation.
func TestImportedMessagesWithoutATimeKeepTheirOrderAndTheEnd(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := openWith(t, Options{SQLiteFile: filepath.Join(t.TempDir(), "test.db"), Now: func() time.Time {
		clock.advance(time.Second)
		return clock.now()
	}})
	conv, err := s.ImportConversation(t.Context(), "u", Export{Conversation: models.Conversation{ActiveLeafID: "b"},
		Messages: []models.Message{
			{ID: "q", Role: models.RoleUser, Text: "which"},
			{ID: "z", ParentID: "q", Role: models.RoleAssistant, Text: "first"},
			{ID: "b", ParentID: "q", Role: models.RoleAssistant, Text: "second"},
		}})
	must(t, err)
	var messages []models.Message
	must(t, s.read(t.Context()).Order("id").Find(&messages).Error)
	if len(messages) != 3 || messages[1].Text != "first" || messages[2].ID != conv.ActiveLeafID {
		t.Errorf("the messages are %+v, the end is %s", messages, conv.ActiveLeafID)
	}
	for _, message := range messages {
		if message.CreatedAt != conv.UpdatedAt {
			t.Errorf("%q is of %d, the conversation of %d", message.Text, message.CreatedAt, conv.UpdatedAt)
		}
	}
}

// F13: an imported conversation stands where its dates say, but never in the future.
func TestAnImportKeepsItsDates(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		now := s.now()
		for _, c := range []struct{ created, updated, wantCreated, wantUpdated models.Time }{
			{now - 1e9, now - 1e8, now - 1e9, now - 1e8},
			{now - 1e8, now - 1e9, now - 1e8, now - 1e8},
			{0, now + 1e15, 0, 0}, // 0: the time of the import
		} {
			conv, err := s.ImportConversation(ctx, "u", Export{NewID: NewID(),
				Conversation: models.Conversation{Title: "x", CreatedAt: c.created, UpdatedAt: c.updated}})
			must(t, err)
			got, err := s.GetConversation(ctx, "u", conv.ID)
			must(t, err)
			if c.wantCreated == 0 {
				if got.CreatedAt < now || got.UpdatedAt > s.now() {
					t.Errorf("imported at %d, changed at %d", got.CreatedAt, got.UpdatedAt)
				}
			} else if got.CreatedAt != c.wantCreated || got.UpdatedAt != c.wantUpdated || conv.UpdatedAt != got.UpdatedAt {
				t.Errorf("created at %d, changed at %d, want %+v", got.CreatedAt, got.UpdatedAt, c)
			}
		}
	})
}

package store

import (
	"bytes"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

func TestAnUploadKeepsItsBytes(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		a := models.Upload{UserID: "u", Name: "a", ContentType: "image/png", Data: []byte{0, 255, 0}}
		b := models.Upload{UserID: "u", Name: "b", Data: []byte{}}
		must(t, s.CreateUpload(ctx, &a))
		must(t, s.CreateUpload(ctx, &b))
		got, err := s.GetUpload(ctx, "u", a.ID)
		must(t, err)
		if !bytes.Equal(got.Data, a.Data) || got.Size != 3 || got.ContentType != "image/png" {
			t.Errorf("read %+v", *got)
		}
		info, err := s.UploadInfo(ctx, "u", []string{b.ID, a.ID, b.ID})
		must(t, err)
		if len(info) != 3 || info[0].ID != b.ID || info[1].Name != "a" || info[1].Size != 3 || info[1].Data != nil {
			t.Errorf("the info is %+v", info)
		}
		_, err = s.UploadInfo(ctx, "u", []string{a.ID, NewID()})
		wantCode(t, err, CodeNotFound)
		must(t, s.DeleteUpload(ctx, "u", a.ID))
		wantCode(t, s.DeleteUpload(ctx, "u", a.ID), CodeNotFound)
	})
}

// CH14
func TestPurgeUploadsKeepsWhatMessagesAndWaitingRunsUse(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		conv := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(ctx, &conv))
		uploads := map[string]*models.Upload{}
		for _, name := range []string{"in a message", "in a waiting run", "in an ended run", "unused", "new"} {
			if name == "new" {
				clock.advance(time.Hour)
			}
			uploads[name] = &models.Upload{UserID: "u", Name: name}
			must(t, s.CreateUpload(ctx, uploads[name]))
		}
		attached := func(name string) []models.Attachment {
			return []models.Attachment{{UploadID: uploads[name].ID, Name: name}}
		}
		must(t, s.tx(ctx, func(tx *gorm.DB) error {
			for name, status := range map[string]string{"in a waiting run": models.RunQueued, "in an ended run": models.RunCancelled} {
				run := models.Run{ID: NewID(), ConversationID: conv.ID, Status: status, Input: models.RunInput{Attachments: attached(name)}}
				must(t, tx.Create(&run).Error)
			}
			return s.insertMessage(tx, &models.Message{ID: NewID(), ConversationID: conv.ID, Attachments: attached("in a message")})
		}))

		n, err := s.PurgeUploads(ctx, models.TimeOf(clock.now()))
		must(t, err)
		if n != 2 {
			t.Errorf("%d uploads were deleted, want 2", n)
		}
		for name, want := range map[string]bool{"in a message": true, "in a waiting run": true, "in an ended run": false, "unused": false, "new": true} {
			if _, err := s.GetUpload(ctx, "u", uploads[name].ID); (err == nil) != want {
				t.Errorf("%s: kept is %v, want %v", name, err == nil, want)
			}
		}
	})
}

package store

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
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

// Issue 10: a large file goes in and out in parts; nobody sees it before it is whole,
// and one that breaks off leaves nothing.
func TestAnUploadIsReceivedAndReadInParts(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		content := make([]byte, 2*uploadPart+17)
		for i := range content {
			content[i] = byte(i / 1000)
		}
		upload := models.Upload{UserID: "u", Name: "large"}
		hidden := func() {
			_, err := s.UploadInfo(ctx, "u", []string{upload.ID})
			wantCode(t, err, CodeNotFound)
			_, err = s.GetUpload(ctx, "u", upload.ID)
			wantCode(t, err, CodeNotFound)
		}
		must(t, s.ReceiveUpload(ctx, &upload, &watchedReader{Reader: bytes.NewReader(content), atEnd: hidden}))
		_, reader, err := s.OpenUpload(ctx, "u", upload.ID)
		must(t, err)
		got, err := io.ReadAll(reader)
		must(t, err)
		if !bytes.Equal(got, content) || upload.Size != int64(len(content)) {
			t.Errorf("%d bytes came back, want %d", len(got), len(content))
		}
		_, err = reader.Seek(uploadPart-1, io.SeekStart)
		must(t, err)
		some := make([]byte, 2)
		_, err = io.ReadFull(reader, some)
		must(t, err)
		if !bytes.Equal(some, content[uploadPart-1:uploadPart+1]) {
			t.Errorf("across two parts: %v", some)
		}
		must(t, s.DeleteUpload(ctx, "u", upload.ID))

		broken := models.Upload{UserID: "u", Name: "broken"}
		wrong := errors.New("the line broke")
		err = s.ReceiveUpload(ctx, &broken, io.MultiReader(bytes.NewReader(content), iotest.ErrReader(wrong)))
		var rows, parts int64
		must(t, s.db.Model(&models.Upload{}).Count(&rows).Error)
		must(t, s.db.Model(&models.UploadPart{}).Count(&parts).Error)
		if !errors.Is(err, wrong) || rows != 0 || parts != 0 {
			t.Errorf("err %v, %d uploads and %d parts are left", err, rows, parts)
		}
	})
}

// watchedReader calls atEnd before it tells that there is no more.
type watchedReader struct {
	io.Reader
	atEnd func()
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		r.atEnd()
	}
	return n, err
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
		for _, name := range []string{"in a message", "in a waiting run", "in an ended run", "in a tool call", "unused",
			"new"} {
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
			for name, status := range map[string]string{"in a waiting run": models.RunQueued,
				"in an ended run": models.RunCancelled} {
				run := models.Run{ID: NewID(), ConversationID: conv.ID, Status: status,
					Input: models.RunInput{Attachments: attached(name)}}
				must(t, tx.Create(&run).Error)
			}
			images := `[{"upload_id":"` + uploads["in a tool call"].ID + `"}]`
			ended := models.Run{ID: NewID(), ConversationID: conv.ID, Status: models.RunCompleted}
			ended.RootRunID = ended.ID
			must(t, tx.Create(&ended).Error)
			step := models.Step{ID: NewID(), RunID: ended.ID, RootRunID: ended.ID}
			must(t, tx.Create(&step).Error)
			must(t, tx.Create(&models.ToolCall{ID: NewID(), RunID: ended.ID, RootRunID: ended.ID, StepID: step.ID,
				Images: models.RawJSON(images)}).Error)
			return s.insertMessage(tx, "u", &models.Message{ID: NewID(), ConversationID: conv.ID,
				Attachments: attached("in a message")})
		}))

		n, err := s.PurgeUploads(ctx, models.TimeOf(clock.now()))
		must(t, err)
		if n != 2 {
			t.Errorf("%d uploads were deleted, want 2", n)
		}
		for name, want := range map[string]bool{"in a message": true, "in a waiting run": true, "in a tool call": true,
			"in an ended run": false, "unused": false, "new": true} {
			if _, err := s.GetUpload(ctx, "u", uploads[name].ID); (err == nil) != want {
				t.Errorf("%s: kept is %v, want %v", name, err == nil, want)
			}
		}
	})
}

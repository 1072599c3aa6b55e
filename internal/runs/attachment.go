package runs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
)

// AttachedLimits are in bytes.
type AttachedLimits struct {
	Inline  int   // of an attachment's text, what a model is told where it cannot read the rest
	Preview int   // what it is told where the whole text is a file of its project
	Whole   int64 // the longest text that becomes such a file
}

// anyMember reads the attachments of a conversation's messages, whoever sent them.
const anyMember = ""

// attach adds a message's attachments: images to the message where the model
// sees them, text and the rest as notes.
func (s *Service) attach(ctx context.Context, run *models.Run, message *llm.Message, attachments []models.Attachment,
	info llm.Info) ([]string, error) {
	var notes []string
	for _, attachment := range attachments {
		if isImage(attachment.ContentType) && supports(info, "images") {
			data, err := s.attachedBytes(ctx, anyMember, attachment, -1)
			if err != nil {
				return nil, err
			}
			message.Images = append(message.Images, llm.Image{MediaType: attachment.ContentType, Data: data})
			continue
		}
		note, err := s.attachmentNote(ctx, run, attachment)
		if err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return notes, nil
}

// attachmentNote says what is in an attachment, or why the model cannot know.
func (s *Service) attachmentNote(ctx context.Context, run *models.Run, attachment models.Attachment) (string, error) {
	if isImage(attachment.ContentType) {
		return fmt.Sprintf("The user attached the image %q, which this model cannot see: say so if it matters.",
			attachment.Name), nil
	}
	read, err := s.attachedText(ctx, anyMember, attachment)
	if err != nil {
		return "", err
	}
	if read.problem != "" {
		return fmt.Sprintf("The user attached the file %q (%s, %d bytes), which cannot be read: %s. Say so if it matters.",
			attachment.Name, attachment.ContentType, attachment.Size, read.problem), nil
	}
	limits := s.Settings().Attached
	if kept := s.keepAttachment(ctx, run, attachment, read); kept != "" {
		return fmt.Sprintf("The user attached the file %q. Its whole text is in the file %s of the project: read there "+
			"what you need. It begins:\n```\n%s\n```", attachment.Name, kept, shorten(read.text, limits.Preview)), nil
	}
	text := read.text
	if read.more {
		text += "\n[… there is more, which cannot be read here]"
	}
	return fmt.Sprintf("The user attached the file %q:\n```\n%s\n```", attachment.Name,
		shorten(text, limits.Inline)), nil
}

// keepAttachment makes a long text a file of the run's project, where the file tools
// read it; empty: it did not.
func (s *Service) keepAttachment(ctx context.Context, run *models.Run, attachment models.Attachment,
	read attachedText) string {
	if len(read.text) <= s.Settings().Attached.Preview || read.more || run.ProjectID == "" || s.KeepFile == nil ||
		!run.Settings.ToolsEnabled {
		return ""
	}
	name := path.Base(path.Clean("/" + attachment.Name))
	if isDocument(attachment) {
		name += ".txt"
	}
	// Of two attachments with one name each keeps its own; the end of an id is random.
	kept := path.Join("attachments", attachment.UploadID[len(attachment.UploadID)-6:], name)
	if err := s.KeepFile(ctx, run.ProjectID, kept, []byte(read.text)); err != nil {
		s.Logger.Warn("an attachment was not put into its project", "run", run.ID, "project", run.ProjectID,
			"upload", attachment.UploadID, "error", err)
		return ""
	}
	return kept
}

// AttachmentProblem says why no model can know what is in an attachment; empty: it can.
func (s *Service) AttachmentProblem(ctx context.Context, userID string, attachment models.Attachment) (string, error) {
	if isImage(attachment.ContentType) {
		return "", nil
	}
	read, err := s.attachedText(ctx, userID, attachment)
	return read.problem, err
}

// attachedText is what an attachment says, or why that is not known.
type attachedText struct {
	text    string
	more    bool // the attachment is longer
	problem string
}

// attachedText reads a text, or the text of a document, which is remembered.
func (s *Service) attachedText(ctx context.Context, userID string, attachment models.Attachment) (attachedText, error) {
	if isDocument(attachment) && s.DocumentText != nil {
		return s.documents.of(attachment.UploadID, func() (attachedText, error) {
			data, err := s.attachedBytes(ctx, userID, attachment, -1)
			if err != nil {
				return attachedText{}, err
			}
			text, err := s.DocumentText(ctx, data)
			if ctx.Err() != nil {
				return attachedText{}, ctx.Err()
			}
			if err != nil {
				return attachedText{problem: err.Error()}, nil
			}
			return attachedText{text: text}, nil
		})
	}
	data, err := s.attachedBytes(ctx, userID, attachment, s.Settings().Attached.Whole)
	if err != nil {
		return attachedText{}, err
	}
	data = wholeRunes(data, int64(len(data)) < attachment.Size)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return attachedText{problem: "it is neither text, a picture nor a document that can be read"}, nil
	}
	return attachedText{text: string(data), more: int64(len(data)) < attachment.Size}, nil
}

// attachedBytes reads an attachment, at most limit bytes; a negative limit: the whole.
func (s *Service) attachedBytes(ctx context.Context, userID string, attachment models.Attachment,
	limit int64) ([]byte, error) {
	_, content, err := s.Store.OpenUpload(ctx, userID, attachment.UploadID)
	if err != nil {
		return nil, fmt.Errorf("read attachment %q: %w", attachment.Name, err)
	}
	var from io.Reader = content
	if limit >= 0 {
		from = io.LimitReader(content, limit)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("read attachment %q: %w", attachment.Name, err)
	}
	return data, nil
}

// wholeRunes drops what a cut has left of a character at the end.
func wholeRunes(data []byte, cut bool) []byte {
	for at := len(data) - 1; cut && at >= 0 && at > len(data)-utf8.UTFMax; at-- {
		if utf8.RuneStart(data[at]) {
			if !utf8.FullRune(data[at:]) {
				return data[:at]
			}
			break
		}
	}
	return data
}

// isDocument says whether an attachment is a PDF or an office document by its name or type.
func isDocument(attachment models.Attachment) bool {
	ending := strings.ToLower(path.Ext(attachment.Name))
	return attachment.ContentType == "application/pdf" ||
		slices.Contains([]string{".pdf", ".docx", ".xlsx", ".pptx", ".doc", ".xls", ".ppt"}, ending)
}

func isImage(contentType string) bool {
	switch contentType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// readDocuments remembers what the last documents say: every turn of a conversation tells them again.
type readDocuments struct {
	mu   sync.Mutex
	byID map[string]attachedText
}

// rememberedDocuments bounds how many are remembered; their text has at most 1 MiB.
const rememberedDocuments = 32

func (r *readDocuments) of(id string, read func() (attachedText, error)) (attachedText, error) {
	r.mu.Lock()
	known, found := r.byID[id]
	r.mu.Unlock()
	if found {
		return known, nil
	}
	text, err := read()
	if err != nil {
		return text, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil || len(r.byID) >= rememberedDocuments {
		r.byID = map[string]attachedText{}
	}
	r.byID[id] = text
	return text, nil
}

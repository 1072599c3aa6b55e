package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/models"
)

// Upload is a file that was sent for use as an attachment.
type Upload struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ContentType string `json:"content_type" doc:"Found out from the bytes and the name."`
	Size        int64  `json:"size" doc:"Bytes."`
	Problem     string `json:"problem,omitempty" doc:"Why no model can know what is in it; absent: it is a picture, or text, or a document whose text can be read."`
}

// NewAttachment is a file that goes with a message: one that was uploaded, or a
// small one in place.
type NewAttachment struct {
	UploadID    string  `json:"upload_id,omitempty" doc:"Of POST /uploads; then nothing else is needed."`
	Name        string  `json:"name,omitempty" maxLength:"500"`
	ContentType string  `json:"content_type,omitempty" maxLength:"200" doc:"Left out: found out from the bytes and the name."`
	Size        int64   `json:"size,omitempty" doc:"Not read: the bytes count."`
	Data        *[]byte `json:"data,omitempty" doc:"The bytes in base64."`
}

func (s *server) registerUploads() {
	const tag = "Uploads"
	s.plain(op("POST", "/uploads", "upload-attachment", tag, "Upload a file for use as an attachment",
		describe("Its id goes into attachments of a run. A file that no message uses is deleted after a day. "+
			"Idempotency-Key has no effect here."),
		takes("multipart/form-data", &huma.Schema{Type: "object", Required: []string{"file"},
			Properties: map[string]*huma.Schema{"file": binary()}}),
		answers("201", "Stored.", "application/json", schemaOf[Upload](s), "Location")), s.createUpload)
	s.plain(op("GET", "/uploads/{id}", "read-attachment", tag, "The bytes of an attachment",
		params(queryParam("download", "boolean", "Offer it as a download.")),
		answers("200", "The bytes, with a content type of their own.", anyType, binary(), "Content-Disposition")),
		s.readUpload)
}

func (s *server) createUpload(c echo.Context) error {
	ctx := c.Request().Context()
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return newProblem(http.StatusUnsupportedMediaType, codeOfStatus[http.StatusUnsupportedMediaType],
			"send the file as multipart/form-data")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return invalidField("body.file", "the form holds no file")
		}
		if err != nil {
			return noForm(err)
		}
		if part.FileName() == "" {
			continue
		}
		content := bufio.NewReader(part)
		head, err := content.Peek(SniffLength)
		if err != nil && !errors.Is(err, io.EOF) {
			return brokenForm(err)
		}
		upload, err := newUpload(part.FileName(), "", head)
		if err != nil {
			return err
		}
		upload.UserID = currentUser(ctx)
		quota, room, err := s.roomFor(ctx, 0)
		if err != nil {
			return err
		}
		var limited io.Reader = content
		if room >= 0 {
			limited = &quotaReader{content, room}
		}
		if err := s.Store.ReceiveUploadWithin(ctx, quota, upload, limited); err != nil {
			return brokenForm(err)
		}
		problem, err := s.Runs.AttachmentProblem(ctx, upload.UserID, models.Attachment{UploadID: upload.ID,
			Name: upload.Name, ContentType: upload.ContentType, Size: upload.Size})
		if err != nil {
			return err
		}
		c.Response().Header().Set("Location", basePath+"/uploads/"+upload.ID)
		return c.JSON(http.StatusCreated, Upload{ID: upload.ID, Name: upload.Name, ContentType: upload.ContentType,
			Size: upload.Size, Problem: problem})
	}
}

// newUpload names a file and finds out what it is from its first bytes.
func newUpload(name, contentType string, head []byte) (*models.Upload, error) {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" || len(name) > 500 || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return nil, invalidField("body.name", "the file needs a name of at most 500 bytes")
	}
	if contentType == "" {
		contentType = AttachmentType(name, head)
	} else if media, _, err := mime.ParseMediaType(contentType); err != nil || !strings.Contains(media, "/") {
		return nil, invalidField("body.content_type", quoted(contentType)+" is not a content type, such as image/png")
	}
	return &models.Upload{Name: name, ContentType: contentType}, nil
}

// AttachmentType is the kind of an attached file. It trusts the bytes of pictures and the like, and the name for the
// kinds of text.
func AttachmentType(name string, head []byte) string {
	found := sniff(head[:min(len(head), SniffLength)])
	if strings.HasPrefix(found, "text/") || found == "application/octet-stream" || found == "application/zip" {
		if byName := typeByName(name); byName != "" && !strings.HasPrefix(byName, "image/") {
			return byName
		}
	}
	return found
}

func (s *server) readUpload(c echo.Context) error {
	ctx := c.Request().Context()
	upload, content, err := s.Store.OpenUpload(ctx, currentUser(ctx), c.Param("id"))
	if err != nil {
		return err
	}
	return serveBytes(c, upload.Name, upload.ContentType, upload.CreatedAt.Std(), upload.Size, content)
}

// attach turns what was sent into attachments; files in place become uploads.
// forget takes those back where the message is refused.
func (s *server) attach(ctx context.Context,
	list []NewAttachment) (attached []models.Attachment, forget func(context.Context), err error) {
	user := currentUser(ctx)
	var made []string
	forget = func(ctx context.Context) {
		for _, id := range made {
			if err := s.Store.DeleteUpload(context.WithoutCancel(ctx), user, id); err != nil {
				s.Logger.Warn("an upload without a message stays until it is purged", "upload", id, "error", err)
			}
		}
	}
	for _, one := range list {
		var upload *models.Upload
		switch {
		case one.UploadID != "":
			stored, err := s.Store.UploadInfo(ctx, user, []string{one.UploadID})
			if err != nil {
				forget(ctx)
				return nil, nil, err
			}
			upload = &stored[0]
		case one.Data != nil:
			if upload, err = newUpload(one.Name, one.ContentType, *one.Data); err == nil {
				upload.UserID, upload.Data = user, *one.Data
				var quota int64
				if quota, _, err = s.roomFor(ctx, int64(len(*one.Data))); err == nil {
					err = s.Store.ReceiveUploadWithin(ctx, quota, upload, bytes.NewReader(*one.Data))
				}
			}
			if err != nil {
				forget(ctx)
				return nil, nil, err
			}
			made = append(made, upload.ID)
		default:
			forget(ctx)
			return nil, nil, invalidField("body.attachments", "each needs upload_id, or name and data")
		}
		attached = append(attached, models.Attachment{
			UploadID: upload.ID, Name: upload.Name, ContentType: upload.ContentType, Size: upload.Size,
		})
	}
	return attached, forget, nil
}

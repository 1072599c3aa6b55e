package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/workspace"
)

func (s *server) routesOfFileUpload() {
	s.plain(op("POST", "/projects/{id}/upload", "upload-files", "Files", "Upload files, with their folders",
		describe("Each part with a filename is a file; folders in the filename are kept. Files that are there are replaced. "+
			"Files before one that fails stay. Idempotency-Key has no effect here: the same upload again has the same result."),
		params(queryParam("path", "string", "The folder to put the files into. A form field path before the files does the same.")),
		takes("multipart/form-data", &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{
			"path": {Type: "string"}, "file": {Type: "array", Items: binary()},
		}}),
		answers("201", "What was written.", "application/json", schemaOf[List[workspace.Written]](s))), s.uploadFiles)
}

// uploadFiles streams the parts into the project; nothing is held in memory.
func (s *server) uploadFiles(c echo.Context) error {
	ctx := c.Request().Context()
	files, err := s.files(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return newProblem(http.StatusUnsupportedMediaType, codeOfStatus[http.StatusUnsupportedMediaType], "send the files as multipart/form-data")
	}
	folder := c.QueryParam("path")
	written := []workspace.Written{}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return noForm(err)
		}
		name := partFileName(part)
		if name == "" {
			if part.FormName() == "path" {
				if folder, err = fieldText(part); err != nil {
					return err
				}
			}
			continue
		}
		var one workspace.Written
		change := fileChange{operation: "upload-files", project: c.Param("id"), path: path.Join(folder, name)}
		err = s.audited(ctx, change, func() (err error) {
			one, err = files.Upload(ctx, change.path, part, workspace.WriteOptions{})
			return err
		})
		if err != nil {
			return fmt.Errorf("upload %q: %w", name, brokenForm(err))
		}
		written = append(written, one)
	}
	if len(written) == 0 {
		return invalidField("body.file", "the form holds no file")
	}
	return c.JSON(http.StatusCreated, wholeList(written))
}

// partFileName is the filename with its folders, which Part.FileName cuts off.
func partFileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

// fieldText reads a short form field.
func fieldText(part io.Reader) (string, error) {
	const limit = 8 << 10
	text, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return "", brokenForm(err)
	}
	if len(text) > limit {
		return "", invalidField("body", "a form field is too long")
	}
	return string(text), nil
}

// brokenForm is for errors of reading a form's content: that it ends too early is
// the sender's fault, the rest is as it is.
func brokenForm(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return noForm(err)
	}
	return err
}

// noForm is for errors of finding a form's next part.
func noForm(err error) error {
	var large *http.MaxBytesError
	var own *Problem
	if errors.As(err, &large) || errors.As(err, &own) {
		return err
	}
	return newProblem(http.StatusBadRequest, codeOfStatus[http.StatusBadRequest], "the form is broken or incomplete: send each part with its boundary and its head")
}

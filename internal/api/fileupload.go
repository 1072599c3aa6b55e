package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/workspace"
)

func (s *server) registerFileUpload() {
	s.plain(op("POST", "/projects/{id}/upload", "upload-files", "Files", "Upload files, with their folders",
		describe("Each part with a filename is a file; folders in the filename are kept. on_conflict says what "+
			"happens where a file is there already: "+
			"fail (the default) answers 409 already_exists, names every such file in errors (its path is the "+
			"message) and stores nothing; replace moves the old one to the trash; "+
			"keep_both stores \"name (2).ext\"; skip leaves the old one. Except with fail, files before one that "+
			"fails stay. Idempotency-Key has no effect here."),
		params(queryParam("path", "string",
			"The folder to put the files into. A form field path before the files does the same."),
			queryParam("on_conflict", "string",
				"fail, replace, keep_both or skip. A form field on_conflict before the files does the same.")),
		takes("multipart/form-data", &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{
			"path": {Type: "string"}, "on_conflict": {Type: "string", Enum: []any{"fail", "replace", "keep_both",
				"skip"}}, "file": {Type: "array", Items: binary()},
		}}),
		answers("201", "What was written.", "application/json", schemaOf[UploadedFiles](s))), s.uploadFiles)
}

// UploadedFiles is what an upload stored.
type UploadedFiles struct {
	List[workspace.Written]
	Skipped []string `json:"skipped" doc:"With on_conflict skip: the files that were there already."`
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
		return newProblem(http.StatusUnsupportedMediaType, codeOfStatus[http.StatusUnsupportedMediaType],
			"send the files as multipart/form-data")
	}
	folder, conflict := c.QueryParam("path"), c.QueryParam("on_conflict")
	var batch *workspace.Batch
	var names []string
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
			switch part.FormName() {
			case "path":
				folder, err = fieldText(part)
			case "on_conflict":
				conflict, err = fieldText(part)
			}
			if err != nil {
				return err
			}
			continue
		}
		if batch == nil {
			if batch, err = newBatch(ctx, files, conflict); err != nil {
				return err
			}
			defer batch.Close()
		}
		at := path.Join(folder, name)
		names = append(names, at)
		if err := batch.Add(ctx, at, part); err != nil {
			err = fmt.Errorf("upload %q: %w", name, brokenForm(err))
			s.auditUpload(ctx, c.Param("id"), names[len(names)-1:], err)
			return err
		}
	}
	if batch == nil {
		return invalidField("body.file", "the form holds no file")
	}
	written, err := batch.Commit(ctx)
	s.auditUpload(ctx, c.Param("id"), names, err)
	if err != nil {
		return conflictsOf(batch, err)
	}
	answer := UploadedFiles{List: *wholeList(written), Skipped: batch.Skipped()}
	if answer.Skipped == nil {
		answer.Skipped = []string{}
	}
	return c.JSON(http.StatusCreated, answer)
}

// auditUpload writes a row about each file, with what came of it.
func (s *server) auditUpload(ctx context.Context, project string, names []string, err error) {
	for _, name := range names {
		_ = s.audited(ctx, fileChange{operation: "upload-files", project: project, path: name},
			func() error { return err })
	}
}

func newBatch(ctx context.Context, files workspace.Filesystem, conflict string) (*workspace.Batch, error) {
	if conflict == "" {
		conflict = string(workspace.ConflictFail)
	}
	if !slices.Contains(workspace.OnConflicts, workspace.OnConflict(conflict)) {
		return nil, invalidField("on_conflict", "it must be fail, replace, keep_both or skip")
	}
	return workspace.NewBatch(files, workspace.OnConflict(conflict), workspace.Actor{UserID: currentUser(ctx)})
}

// conflictsOf names every file that is there already.
func conflictsOf(batch *workspace.Batch, err error) error {
	if len(batch.Conflicts()) == 0 {
		return err
	}
	p := newProblem(http.StatusConflict, string(workspace.CodeAlreadyExists), err.Error())
	for _, name := range batch.Conflicts() {
		p.Errors = append(p.Errors, FieldError{Location: "body.file", Message: name})
	}
	return p
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
	return newProblem(http.StatusBadRequest, codeOfStatus[http.StatusBadRequest],
		"the form is broken or incomplete: send each part with its boundary and its head")
}

package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/workspace"
)

func (s *server) registerFileContent() {
	const tag, route = "Files", "/projects/{id}/files/{path}"
	written := schemaOf[workspace.Written](s)
	s.plain(op("GET", route, "read-file", tag, "A file's bytes",
		describe("Ranges and If-None-Match work. Scripts come as text/plain and pages in a sandbox, so that no file "+
			"runs in the app's origin."),
		params(queryParam("download", "boolean", "Offer it as a download.")),
		answers("200", "The bytes, with the content type of the name.", anyType, binary(), "ETag",
			"Content-Disposition"),
		answers("206", "A part of the bytes.", anyType, binary(), "Content-Range"),
		answers("304", "It is what If-None-Match names.", "", nil)), s.readFile)
	s.plain(op("PUT", route, "write-file", tag, "Write a file",
		describe("The body is the content as it is, of any content type; it may be empty. Missing parents are made."),
		params(headerParam("If-Match", "The ETag that the file must have, or * for any; else 412."),
			headerParam("If-None-Match", "*: there must be no such file; else 412.")),
		takes("application/octet-stream", binary()),
		answers("200", "Replaced.", "application/json", written, "ETag"),
		answers("201", "New.", "application/json", written, "ETag", "Location")), s.writeFile)
	s.plain(op("DELETE", route, "delete-file", tag, "Delete a file, a link or a directory",
		describe("It goes to the project's trash."),
		params(queryParam("recursive", "boolean", "A directory with everything in it."),
			headerParam("If-Match", "The ETag that the file must have; else 412.")),
		answers("204", "Gone.", "", nil)), s.deleteFile)
}

// filePath is the part of the URL behind …/files/, percent-decoded exactly once.
// Echo's own parameter is decoded or not, depending on the path.
func filePath(r *http.Request) (string, error) {
	_, raw, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), basePath+"/projects/"), "/files/")
	if !ok {
		return "", echo.ErrNotFound
	}
	name, err := url.PathUnescape(raw)
	if err != nil {
		return "", invalidField("path.path", "it is not valid percent-encoding")
	}
	return name, nil
}

// opened is what the three routes begin with.
func (s *server) opened(c echo.Context) (context.Context, workspace.Filesystem, string, error) {
	ctx := c.Request().Context()
	name, err := filePath(c.Request())
	if err != nil {
		return nil, nil, "", err
	}
	files, err := s.files(ctx, c.Param("id"))
	return ctx, files, name, err
}

func (s *server) readFile(c echo.Context) error {
	ctx, files, name, err := s.opened(c)
	if err != nil {
		return err
	}
	content, entry, err := files.Download(ctx, name)
	if err != nil {
		return err
	}
	defer content.Close()
	if tags := entityTags(c.Request().Header.Get("If-Match")); len(tags) > 0 && !slices.Contains(tags, "*") &&
		!slices.Contains(tags, entry.ETag) {
		return stale()
	}
	c.Response().Header().Set("ETag", `"`+entry.ETag+`"`)
	return serveBytes(c, path.Base(name), "", entry.Modified, entry.Size, content)
}

// serveBytes answers with a person's bytes: nothing in them may run as a page or
// script of our origin.
func serveBytes(c echo.Context, name, contentType string, modified time.Time, size int64, content io.Reader) error {
	header := c.Response().Header()
	contentType, err := harmlessType(name, contentType, content)
	if err != nil {
		return err
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Security-Policy", policyFor(contentType))
	header.Set("Content-Disposition", disposition(name, c.QueryParam("download") == "true"))
	header.Set("Cache-Control", "private, no-cache")
	if seeker, ok := content.(io.ReadSeeker); ok {
		http.ServeContent(c.Response(), c.Request(), "", modified, seeker)
		return nil
	}
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	_, err = io.Copy(c.Response(), content)
	return err
}

// disposition names the file for a browser, in any script.
func disposition(name string, download bool) string {
	kind := "inline"
	if download {
		kind = "attachment"
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%;`, r) {
			return '_'
		}
		return r
	}, name)
	value := kind + `; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return value
}

func (s *server) writeFile(c echo.Context) error {
	ctx, files, name, err := s.opened(c)
	if err != nil {
		return err
	}
	opts, err := writeOptions(ctx, c.Request().Header, files, name)
	if err != nil {
		return err
	}
	opts.Keep = &workspace.Actor{UserID: currentUser(ctx)} // what it replaces can be restored
	var written workspace.Written
	err = s.audited(ctx, fileChange{operation: "write-file", project: c.Param("id"), path: name}, func() (err error) {
		written, err = files.Upload(ctx, name, c.Request().Body, opts)
		return err
	})
	if err != nil {
		var own *workspace.Error
		if opts.IfNoneMatch && errors.As(err, &own) && own.Code == workspace.CodeAlreadyExists {
			return newProblem(http.StatusPreconditionFailed, own.ErrorCode(), own.Error())
		}
		return err
	}
	header := c.Response().Header()
	header.Set("ETag", `"`+written.ETag+`"`)
	if !written.Created {
		return c.JSON(http.StatusOK, written)
	}
	header.Set("Location", c.Request().URL.EscapedPath())
	return c.JSON(http.StatusCreated, written)
}

func writeOptions(ctx context.Context, header http.Header, files workspace.Filesystem,
	name string) (workspace.WriteOptions, error) {
	opts := workspace.WriteOptions{}
	if only := header.Get("If-None-Match"); only == "*" {
		opts.IfNoneMatch = true
	} else if only != "" {
		return opts, invalidField("header.If-None-Match", "only * is possible: write where nothing is")
	}
	if header.Get("Content-Range") != "" {
		return opts, invalidField("header.Content-Range", "a file is written as a whole")
	}
	var err error
	opts.IfMatch, err = expectedTag(ctx, header.Get("If-Match"), files, name)
	return opts, err
}

// expectedTag is the one ETag that a change expects. Of several it is the one
// that the file has now.
func expectedTag(ctx context.Context, header string, files workspace.Filesystem, name string) (string, error) {
	tags := entityTags(header)
	if len(tags) == 0 {
		return "", nil
	}
	if len(tags) == 1 {
		return tags[0], nil
	}
	content, entry, err := files.Download(ctx, name)
	if err != nil {
		return "", err
	}
	if err := content.Close(); err != nil {
		return "", err
	}
	if !slices.Contains(tags, entry.ETag) {
		return "", stale()
	}
	return entry.ETag, nil
}

func (s *server) deleteFile(c echo.Context) error {
	ctx, files, name, err := s.opened(c)
	if err != nil {
		return err
	}
	opts := workspace.DeleteOptions{Recursive: c.QueryParam("recursive") == "true",
		Actor: workspace.Actor{UserID: currentUser(ctx)}}
	if opts.IfMatch, err = expectedTag(ctx, c.Request().Header.Get("If-Match"), files, name); err != nil {
		return err
	}
	change := fileChange{operation: "delete-file", project: c.Param("id"), path: name,
		arguments: map[string]any{"recursive": opts.Recursive}}
	if err := s.audited(ctx, change, func() error { return files.Delete(ctx, name, opts) }); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

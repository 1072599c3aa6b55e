package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/workspace"
)

func (s *server) registerArchive() {
	s.plain(op("GET", "/projects/{id}/archive", "download-archive", "Files", "A directory as a zip archive",
		describe("What cannot be read (links that leave the project, denied names) is left out; the archive's "+
			"comment names it."),
		params(queryParam("path", "string", "The directory; left out: the whole project.")),
		answers("200", "OK", "application/zip", binary(), "Content-Disposition")), s.downloadArchive)
}

func (s *server) downloadArchive(c echo.Context) error {
	ctx := c.Request().Context()
	project, err := s.Store.GetProject(ctx, currentUser(ctx), c.Param("id"))
	if err != nil {
		return err
	}
	files, err := s.openFiles(ctx, project)
	if err != nil {
		return err
	}
	// The directory is looked at before the answer begins.
	if _, err := files.List(ctx, c.QueryParam("path"), workspace.ListOptions{Limit: 1}); err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", disposition(project.Name+".zip", true))
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	skipped, err := workspace.WriteZip(ctx, files, c.QueryParam("path"), c.Response())
	if len(skipped) > 0 {
		s.Logger.Debug("files were left out of an archive", "project", project.ID, "count", len(skipped))
	}
	if err != nil && c.Response().Committed {
		s.Logger.Warn("an archive was cut off", "project", project.ID, "error", err)
		panic(http.ErrAbortHandler) // the client must not take it for whole
	}
	return err
}

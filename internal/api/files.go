package api

import (
	"context"
	"net/http"

	"nanoclaw/internal/models"
	"nanoclaw/internal/workspace"
)

// maxFileList is how many entries one answer has, at most.
const maxFileList = 1000

// FileMatch is a line that a search found.
type FileMatch = workspace.Match

// FileEntry is a file, a directory or a link of a project.
type FileEntry = workspace.Entry

type listFilesInput struct {
	PathID
	PageInput
	Path      string `query:"path" doc:"The directory; left out: the project's root."`
	Recursive bool   `query:"recursive" doc:"With everything below."`
	Pattern   string `query:"pattern" maxLength:"1000" doc:"Only names that match this glob."`
}

type moveInput struct {
	PathID
	Body struct {
		From string `json:"from" minLength:"1"`
		To   string `json:"to" minLength:"1" doc:"The whole new path; its parents are made."`
	}
}

type makeDirectoryInput struct {
	PathID
	Body struct {
		Path string `json:"path" minLength:"1"`
	}
}

type searchFilesInput struct {
	PathID
	Body struct {
		Query         string `json:"query" minLength:"1" maxLength:"10000"`
		Path          string `json:"path,omitempty" doc:"A file or directory; left out: the whole project."`
		Glob          string `json:"glob,omitempty" maxLength:"1000" doc:"Only files whose name, or path where the glob has a slash, matches."`
		Regex         bool   `json:"regex,omitempty" doc:"query is an RE2 expression; else plain text."`
		CaseSensitive bool   `json:"case_sensitive,omitempty"`
		Context       int    `json:"context,omitempty" minimum:"0" maximum:"10" doc:"Lines before and after a match."`
		MaxResults    int    `json:"max_results,omitempty" minimum:"0" doc:"0: 100; at most 1000."`
	}
}

// FileMatches is what a search in files found.
type FileMatches struct {
	List[FileMatch]
	Truncated     bool `json:"truncated" doc:"There are more matches."`
	FilesSearched int  `json:"files_searched"`
	FilesSkipped  int  `json:"files_skipped" doc:"Binary, too large or not readable."`
}

type entryOutput struct {
	Status int
	Body   FileEntry
}

func (s *server) registerFiles() {
	const tag = "Files"
	handle(s, op("GET", "/projects/{id}/files", "list-files", tag, "Files of a directory, directories first"),
		s.listFiles)
	handle(s, op("POST", "/projects/{id}/move", "move-file", tag, "Move or rename a file or directory",
		describe("Something that is at the new place already is answered with 409.")), s.moveFile)
	handle(s, op("POST", "/projects/{id}/directories", "make-directory", tag, "Make a directory with its parents",
		describe("201 where it was missing, 200 where it was there."), status(http.StatusCreated),
		answers("200", "It was there.", "application/json", schemaOf[workspace.Entry](s))), s.makeDirectory)
	handle(s, op("POST", "/projects/{id}/search", "search-files", tag, "Search the content of files",
		needs(rightRead)), s.searchFiles)
	s.registerFileContent()
	s.registerFileUpload()
	s.registerArchive()
	s.registerTrash()
}

// files opens the files of a project that the user may reach, or fails with not_found.
func (s *server) files(ctx context.Context, projectID string) (workspace.Filesystem, error) {
	project, err := s.Store.GetProject(ctx, currentUser(ctx), projectID)
	if err != nil {
		return nil, err
	}
	return s.openFiles(ctx, project)
}

// openFiles opens a project's files on behalf of its owner, and of the conversation and
// the agent profile that the query names.
func (s *server) openFiles(ctx context.Context, project *models.Project) (workspace.Filesystem, error) {
	access, err := s.fileAccess(ctx, project)
	if err != nil {
		return nil, err
	}
	return s.Projects.Open(workspace.WithAccess(ctx, access), project.ID)
}

// fileAccess is on whose behalf a request reaches a project's files.
func (s *server) fileAccess(ctx context.Context, project *models.Project) (workspace.Access, error) {
	r := requestOf(ctx)
	if r.conversation != "" {
		// Somebody else's conversation has files that are not this user's to see.
		if _, err := s.Store.GetConversation(ctx, currentUser(ctx), r.conversation); err != nil {
			return workspace.Access{}, err
		}
	}
	return workspace.Access{UserID: project.UserID, ConversationID: r.conversation, AgentID: r.agent,
		ProjectID: project.ID}, nil
}

func (s *server) listFiles(ctx context.Context, in *listFilesInput) (*listOutput[FileEntry], error) {
	files, err := s.files(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	listing, err := files.List(ctx, in.Path, workspace.ListOptions{
		Pattern: in.Pattern, Recursive: in.Recursive, DirsFirst: !in.Recursive, Limit: -1,
	})
	if err != nil {
		return nil, err
	}
	part, err := cut(listing.Entries, in.PageInput, "files", maxFileList)
	if err != nil {
		return nil, err
	}
	return &listOutput[FileEntry]{part}, nil
}

func (s *server) moveFile(ctx context.Context, in *moveInput) (*entryOutput, error) {
	files, err := s.files(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	change := fileChange{operation: "move-file", project: in.ID, path: in.Body.To,
		arguments: map[string]any{"from": in.Body.From}}
	if err := s.audited(ctx, change, func() error { return files.Move(ctx, in.Body.From, in.Body.To) }); err != nil {
		return nil, err
	}
	entry, err := files.Stat(ctx, in.Body.To)
	if err != nil {
		return nil, err
	}
	return &entryOutput{http.StatusOK, entry}, nil
}

func (s *server) makeDirectory(ctx context.Context, in *makeDirectoryInput) (*entryOutput, error) {
	files, err := s.files(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var created bool
	err = s.audited(ctx, fileChange{operation: "make-directory", project: in.ID, path: in.Body.Path},
		func() (err error) {
			created, err = files.Mkdir(ctx, in.Body.Path)
			return err
		})
	if err != nil {
		return nil, err
	}
	entry, err := files.Stat(ctx, in.Body.Path)
	if err != nil {
		return nil, err
	}
	out := &entryOutput{http.StatusOK, entry}
	if created {
		out.Status = http.StatusCreated
	}
	return out, nil
}

func (s *server) searchFiles(ctx context.Context, in *searchFilesInput) (*struct{ Body FileMatches }, error) {
	files, err := s.files(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := files.Grep(ctx, workspace.GrepOptions{
		Pattern: in.Body.Query, Literal: !in.Body.Regex, CaseSensitive: in.Body.CaseSensitive, Path: in.Body.Path,
		Glob:    in.Body.Glob,
		Context: in.Body.Context, MaxResults: min(in.Body.MaxResults, workspace.MaxGrepResults),
	})
	if err != nil {
		return nil, err
	}
	return &struct{ Body FileMatches }{FileMatches{
		List: *wholeList(found.Matches), Truncated: found.Truncated, FilesSearched: found.FilesSearched,
		FilesSkipped: found.FilesSkipped,
	}}, nil
}

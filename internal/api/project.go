package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

// Project is a folder of files that conversations work in.
type Project struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Description   string    `json:"description"`
	Instructions  string    `json:"instructions" doc:"In the context of every run in the project."`
	Path          string    `json:"path" doc:"The directory that was given; empty: one of its own below workspace_root."`
	MemoryEnabled bool      `json:"memory_enabled" doc:"Agents are told what they noted in MEMORY.md and memory/."`
	Role          string    `json:"role" enum:"owner,editor,viewer" doc:"What the user is in it."`
	Conversations int64     `json:"conversation_count" doc:"Conversations in it: they are deleted with it."`
	Version       int64     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

func viewProject(p *models.Project, role string, conversations int64) Project {
	if role == "" {
		role = models.MemberOwner
	}
	return Project{
		Role: role, Conversations: conversations, ID: p.ID, Name: p.Name, Description: p.Description, Instructions: p.Instructions,
		Path: p.Path, MemoryEnabled: !p.MemoryOff,
		Version: p.Version, CreatedAt: p.CreatedAt.Std(), UpdatedAt: p.UpdatedAt.Std(),
	}
}

type projectOutput struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     Project
}

// projectOutput is the answer about one project.
func (s *server) projectOutput(ctx context.Context, p *models.Project) (*projectOutput, error) {
	counts, err := s.Store.CountConversations(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	roles, err := s.memberRoles(ctx)
	if err != nil {
		return nil, err
	}
	return &projectOutput{ETag: versionTag(p.Version), Body: viewProject(p, roles[p.ID], counts[p.ID])}, nil
}

// memberRoles are the user's roles in projects of others.
func (s *server) memberRoles(ctx context.Context) (map[string]string, error) {
	if s.Accounts == nil {
		return nil, nil
	}
	return s.Store.MemberRoles(ctx, currentUser(ctx))
}

type listProjectsInput struct {
	PageInput
	Q string `query:"q" maxLength:"200" doc:"A part of the name."`
}

type createProjectInput struct {
	Body struct {
		Name         string `json:"name" minLength:"1" maxLength:"200" pattern:"\\S" patternDescription:"a name that is not blank"`
		Description  string `json:"description,omitempty" maxLength:"10000"`
		Instructions string `json:"instructions,omitempty" maxLength:"100000" doc:"In the context of every run in the project."`
		Path         string `json:"path,omitempty" maxLength:"4096" doc:"An existing directory below one of project_roots. Left out: the project gets a directory of its own."`
	}
}

type patchProjectInput struct {
	PathID
	IfMatchInput
	Body struct {
		Name         Optional[string] `json:"name,omitempty" minLength:"1" maxLength:"200" pattern:"\\S" patternDescription:"a name that is not blank"`
		Description  Optional[string] `json:"description,omitempty" maxLength:"10000" doc:"null clears it."`
		Instructions Optional[string] `json:"instructions,omitempty" maxLength:"100000" doc:"null clears it."`
		Memory       Optional[bool]   `json:"memory_enabled,omitempty" doc:"null: true."`
	}
}

type deleteProjectInput struct {
	PathID
	IfMatchInput
}

func (s *server) registerProjects() {
	const tag = "Projects"
	handle(s, op("GET", "/projects", "list-projects", tag, "Projects, last changed first"), s.listProjects)
	handle(s, op("POST", "/projects", "create-project", tag, "Make a project", status(http.StatusCreated)),
		s.createProject)
	handle(s, op("GET", "/projects/{id}", "get-project", tag, "A project"), s.getProject)
	handle(s, op("PATCH", "/projects/{id}", "change-project", tag, "Change a project", needs(rightOwner)), s.patchProject)
	handle(s, op("DELETE", "/projects/{id}", "delete-project", tag, "Delete a project with its conversations",
		describe("Runs at work in it are stopped, and what its commands left running ends. Its own directory is "+
			"deleted with everything in it; a directory that was given by path is left alone."), needs(rightOwner)), s.deleteProject)
}

func (s *server) listProjects(ctx context.Context, in *listProjectsInput) (*listOutput[Project], error) {
	part, err := s.Store.ListProjects(ctx, currentUser(ctx), store.ProjectQuery{Q: in.Q, Page: in.page()})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(part.Items))
	for i, project := range part.Items {
		ids[i] = project.ID
	}
	counts, err := s.Store.CountConversations(ctx, ids...)
	if err != nil {
		return nil, err
	}
	roles, err := s.memberRoles(ctx)
	if err != nil {
		return nil, err
	}
	view := func(p *models.Project) Project { return viewProject(p, roles[p.ID], counts[p.ID]) }
	return &listOutput[Project]{newList(part, view)}, nil
}

func (s *server) createProject(ctx context.Context, in *createProjectInput) (*projectOutput, error) {
	project := &models.Project{
		ID: store.NewID(), UserID: currentUser(ctx), Name: strings.TrimSpace(in.Body.Name),
		Description: in.Body.Description, Instructions: in.Body.Instructions,
	}
	var err error
	if in.Body.Path != "" {
		project.Path, err = s.Projects.CheckPath(in.Body.Path)
	} else {
		_, err = s.Projects.Create(project.ID)
	}
	if err != nil {
		return nil, pathProblem(err)
	}
	if err := s.Store.CreateProject(ctx, project); err != nil {
		// The directory that was made for it is empty.
		return nil, errors.Join(err, s.Projects.Remove(project.ID, workspace.Location{Path: project.Path}))
	}
	return &projectOutput{
		ETag: versionTag(project.Version), Location: basePath + "/projects/" + project.ID,
		Body: viewProject(project, "", 0),
	}, nil
}

// pathProblem says of a directory that cannot be a project which field gave it.
func pathProblem(err error) error {
	var own *workspace.Error
	if !errors.As(err, &own) || own.Code == workspace.CodeInternal {
		return err
	}
	status := http.StatusUnprocessableEntity
	if own.Code == workspace.CodeAccessDenied {
		status = http.StatusForbidden
	}
	p := newProblem(status, own.ErrorCode(), own.Error())
	p.Errors = []FieldError{{Location: "body.path", Message: own.Message}}
	return p
}

func (s *server) getProject(ctx context.Context, in *PathID) (*projectOutput, error) {
	project, err := s.Store.GetProject(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return s.projectOutput(ctx, project)
}

func (s *server) patchProject(ctx context.Context, in *patchProjectInput) (*projectOutput, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	if in.Body.Name.Null {
		return nil, invalidField("body.name", "a project has a name")
	}
	project, err := s.Store.UpdateProject(ctx, currentUser(ctx), in.ID, version, func(p *models.Project) error {
		in.Body.Name.into(&p.Name)
		in.Body.Description.into(&p.Description)
		in.Body.Instructions.into(&p.Instructions)
		if in.Body.Memory.Set {
			p.MemoryOff = !in.Body.Memory.Value && !in.Body.Memory.Null
		}
		p.Name = strings.TrimSpace(p.Name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.projectOutput(ctx, project)
}

func (s *server) deleteProject(ctx context.Context, in *deleteProjectInput) (*struct{}, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	user := currentUser(ctx)
	project, err := s.Store.GetProject(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	if version != 0 && version != project.Version {
		return nil, stale()
	}
	active, err := s.Store.ActiveRunsOfUser(ctx, user)
	if err != nil {
		return nil, err
	}
	var of []string
	for _, run := range active {
		conv, err := s.Store.GetConversation(ctx, user, run.ConversationID)
		if err == nil && (run.ProjectID == in.ID || conv.ProjectID == in.ID) {
			of = append(of, run.ID)
		}
	}
	if err := s.stopRuns(ctx, currentUser(ctx), of); err != nil {
		return nil, err
	}
	gone, err := s.Store.ConversationsIn(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Store.DeleteProject(ctx, user, in.ID, version); err != nil {
		return nil, err
	}
	s.Runs.TellDeleted(ctx, gone...)
	if s.Processes != nil {
		if err := s.Processes.EndProject(ctx, in.ID); err != nil {
			return nil, fmt.Errorf("the project is deleted, but not all that ran in it has ended: %w", err)
		}
	}
	if err := s.Projects.Remove(in.ID, workspace.Location{Path: project.Path}); err != nil {
		return nil, fmt.Errorf("the project is deleted, but not its directory: %w", err)
	}
	return nil, nil
}

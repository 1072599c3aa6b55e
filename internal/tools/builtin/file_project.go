package builtin

import (
	"context"
	"errors"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// fileProject makes the project of a call part of the arguments of every file tool.
type fileProject struct {
	ProjectID string `json:"project_id" inject:"project_id,required"`
}

// open returns the files of the conversation's project; what the call changes is
// noted as a change of its run.
func (p fileProject) open(ctx context.Context, call tools.Call) (workspace.Filesystem, error) {
	if call.ProjectID == "" {
		return nil, errNoProject
	}
	workspaces, err := services.Get(call.Services, workspace.Key)
	if err != nil {
		return nil, err
	}
	files, err := workspaces.Open(ctx, call.ProjectID)
	if err != nil {
		return nil, err
	}
	if recorder, err := services.Get(call.Services, workspace.RecorderKey); err == nil {
		files = recorder.Recorded(actorOf(call), call.ProjectID, files)
	}
	return files, nil
}

var errNoProject = tools.Errorf(tools.CodeInvalidArguments,
	"this conversation has no project, so there are no files: tell the user to open a conversation in a project")

// actorOf is who makes a call, for the records of what it does to files.
func actorOf(call tools.Call) workspace.Actor {
	return workspace.Actor{UserID: call.UserID, RunID: call.RunID, RootRunID: call.RootRunID, CallID: call.ID}
}

// stamp is the version of what a read of a path sees.
func (p fileProject) stamp(ctx context.Context, call tools.Call, path string, recursive bool) (string, error) {
	files, err := p.open(ctx, call)
	if err != nil {
		return "", err
	}
	return files.Stamp(ctx, path, recursive)
}

// needPath refuses an empty path where the root itself makes no sense.
func needPath(argument, path string) error {
	if path == "" {
		return tools.Errorf(tools.CodeInvalidArguments,
			"%s is empty: give a path relative to the project root, such as notes/todo.md", argument)
	}
	return nil
}

func fileError(code workspace.Code, path, format string, args ...any) error {
	return workspace.Errorf(code, path, format, args...)
}

// hasFileCode says whether a file operation failed with this code.
func hasFileCode(err error, code workspace.Code) bool {
	var own *workspace.Error
	return errors.As(err, &own) && own.Code == code
}

// maxFileOutput is how many bytes of text a file tool answers with: what the
// executor's output limit leaves beside names and hints.
const maxFileOutput = 50 << 10

package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_mkdir.md
var fileMkdirDoc string

func init() {
	tools.Register(tools.Define("file_mkdir", fileMkdirDoc, fileMkdir,
		tools.Category("file"), tools.Effect(tools.Writes),
		tools.Preflight(func(_ context.Context, _ tools.Call,
			args fileMkdirArgs) error {
			return workspace.CheckPath(args.Path)
		})))
}

type fileMkdirArgs struct {
	Path string `json:"path" access:"write" jsonschema:"path in the project"`
	fileProject
}

type fileMkdirResult struct {
	Path    string `json:"path"`
	Created bool   `json:"created"` // false: it was there already
}

func fileMkdir(ctx context.Context, call tools.Call, args fileMkdirArgs) (fileMkdirResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return fileMkdirResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileMkdirResult{}, err
	}
	created, err := files.Mkdir(ctx, args.Path)
	return fileMkdirResult{Path: args.Path, Created: created}, err
}

package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_delete.md
var fileDeleteDoc string

func init() {
	tools.Register(tools.Define("file_delete", fileDeleteDoc, fileDelete,
		tools.Category("file"), tools.Effect(tools.Writes), tools.Preflight(fileDeletePreflight)))
}

type fileDeleteArgs struct {
	Path      string `json:"path" access:"delete,below=recursive" jsonschema:"path in the project"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"true to delete a directory with everything in it"`
	fileProject
}

type fileDeleteResult struct {
	Path    string `json:"path"`
	Deleted bool   `json:"deleted"`
}

func fileDelete(ctx context.Context, call tools.Call, args fileDeleteArgs) (fileDeleteResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return fileDeleteResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileDeleteResult{}, err
	}
	if err := files.Delete(ctx, args.Path, workspace.DeleteOptions{Recursive: args.Recursive,
		Actor: actorOf(call)}); err != nil {
		return fileDeleteResult{}, err
	}
	return fileDeleteResult{Path: args.Path, Deleted: true}, nil
}

func fileDeletePreflight(ctx context.Context, call tools.Call, args fileDeleteArgs) error {
	entry, err := args.entry(ctx, call, args.Path)
	if err != nil {
		return err
	}
	if entry != nil && entry.Type == workspace.TypeDirectory && !args.Recursive {
		return fileError(workspace.CodeNotAFile, args.Path,
			"it is a directory: pass recursive to delete it with everything in it")
	}
	return nil
}

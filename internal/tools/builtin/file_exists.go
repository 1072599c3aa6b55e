package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_exists.md
var fileExistsDoc string

func init() {
	tools.Register(tools.Define("file_exists", fileExistsDoc, fileExists,
		tools.Category("file"), tools.Effect(tools.Reads), tools.Stamp(fileExistsStamp)))
}

type fileExistsArgs struct {
	Path string `json:"path" access:"read" jsonschema:"path in the project"`
	fileProject
}

type fileExistsResult struct {
	Path   string              `json:"path"`
	Exists bool                `json:"exists"`
	Type   workspace.EntryType `json:"type,omitempty"` // file, directory, other
	Size   int64               `json:"size"`           // of a file, bytes
}

func fileExists(ctx context.Context, call tools.Call, args fileExistsArgs) (fileExistsResult, error) {
	files, err := args.open(ctx, call)
	if err != nil {
		return fileExistsResult{}, err
	}
	result := fileExistsResult{Path: args.Path}
	exists, err := files.Exists(ctx, args.Path)
	if err != nil || !exists {
		return result, err
	}
	entry, err := files.Stat(ctx, args.Path)
	if hasFileCode(err, workspace.CodeNotFound) {
		return result, nil // deleted in between
	}
	if err != nil {
		return result, err
	}
	result.Exists, result.Type, result.Size = true, entry.Type, entry.Size
	return result, nil
}

// fileExistsStamp is the answer itself: it costs as much as to look.
func fileExistsStamp(ctx context.Context, call tools.Call, args fileExistsArgs) (string, error) {
	result, err := fileExists(ctx, call, args)
	return fmt.Sprintf("%v %s %d", result.Exists, result.Type, result.Size), err
}

package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
)

//go:embed file_move.md
var fileMoveDoc string

func init() {
	tools.Register(tools.Define("file_move", fileMoveDoc, fileMove,
		tools.Category("file"), tools.Effect(tools.Writes)))
}

type fileMoveArgs struct {
	From string `json:"from" jsonschema:"path of the file or directory, relative to the project root"`
	To   string `json:"to" jsonschema:"its new path, with its new name, relative to the project root"`
	fileProject
}

type fileMoveResult struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func fileMove(ctx context.Context, call tools.Call, args fileMoveArgs) (fileMoveResult, error) {
	if err := needPath("from", args.From); err != nil {
		return fileMoveResult{}, err
	}
	if err := needPath("to", args.To); err != nil {
		return fileMoveResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileMoveResult{}, err
	}
	if err := files.Move(ctx, args.From, args.To); err != nil {
		return fileMoveResult{}, err
	}
	return fileMoveResult{From: args.From, To: args.To}, nil
}

package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_move.md
var fileMoveDoc string

func init() {
	tools.Register(tools.Define("file_move", fileMoveDoc, fileMove,
		tools.Category("file"), tools.Effect(tools.Writes),
		tools.Preflight(func(ctx context.Context, call tools.Call, args fileMoveArgs) error {
			if err := workspace.CheckPath(args.To); err != nil {
				return err
			}
			return args.preflight(ctx, call, args.From)
		})))
}

type fileMoveArgs struct {
	From string `json:"from" access:"read,delete,below" jsonschema:"path in the project"`
	To   string `json:"to" access:"write,below" jsonschema:"the whole new path, where nothing may be yet"`
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

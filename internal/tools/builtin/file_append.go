package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_append.md
var fileAppendDoc string

func init() {
	tools.Register(tools.Define("file_append", fileAppendDoc, fileAppend,
		tools.Category("file"), tools.Effect(tools.Writes), tools.Resolves("content"),
		tools.Preflight(func(_ context.Context, _ tools.Call, args fileAppendArgs) error {
			return workspace.CheckPath(args.Path)
		})))
}

type fileAppendArgs struct {
	Path    string `json:"path" access:"write" jsonschema:"path in the project"`
	Content string `json:"content" jsonschema:"text to add, with a line break at its end where one is wanted"`
	fileProject
}

func fileAppend(ctx context.Context, call tools.Call, args fileAppendArgs) (fileWriteResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return fileWriteResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileWriteResult{}, err
	}
	return appendText(ctx, call, files, args.Path, args.Content, "")
}

// appendText adds text to a file in the named encoding, or in the file's own.
func appendText(ctx context.Context, call tools.Call, files workspace.Filesystem, path, text,
	encoding string) (fileWriteResult, error) {
	var added int
	w, err := files.Edit(ctx, path, true, func(old []byte) ([]byte, error) {
		codec, err := codecToAppend(old, encoding)
		if err != nil {
			return nil, err
		}
		encode := codec.encodePart
		if len(old) == 0 {
			encode = codec.encode
		}
		resolved, err := resolveIn(ctx, call, path, old, text)
		if err != nil {
			return nil, err
		}
		data, err := encode(resolved)
		if err != nil {
			return nil, fileError(workspace.CodeInvalidArgument, path, "%v", err)
		}
		added = len(data)
		return append(old, data...), nil
	})
	return written(added)(w, err)
}

func codecToAppend(old []byte, encoding string) (textCodec, error) {
	found, isText := detectCodec(old)
	if encoding == "" {
		if !isText {
			return utf8Codec, nil
		}
		return found, nil
	}
	codec, err := codecNamed(encoding)
	if err == nil && codec.name == utf16LEBOM.name && found.name == codec.name {
		return found, nil // in the file's byte order
	}
	return codec, err
}

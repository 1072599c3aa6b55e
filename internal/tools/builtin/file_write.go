package builtin

import (
	"context"
	_ "embed"
	"encoding/base64"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_write.md
var fileWriteDoc string

func init() {
	tools.Register(tools.Define("file_write", fileWriteDoc, fileWrite,
		tools.Category("file"), tools.Effect(tools.Writes),
		tools.Preflight(func(_ context.Context, _ tools.Call, args fileWriteArgs) error { return workspace.CheckPath(args.Path) })))
}

type fileWriteArgs struct {
	Path     string `json:"path" jsonschema:"path in the project"`
	Content  string `json:"content" jsonschema:"what to write"`
	Mode     string `json:"mode,omitempty" jsonschema:"replace the file, or add to its end" enum:"write,append,w,a" default:"write"`
	Encoding string `json:"encoding,omitempty" jsonschema:"default: utf-8, or the file's own when appending; base64: content is the bytes in base64"`
	fileProject
}

type fileWriteResult struct {
	Path         string `json:"path"`
	BytesWritten int    `json:"bytes_written"`
	Created      bool   `json:"created"` // the file was not there before
}

func fileWrite(ctx context.Context, call tools.Call, args fileWriteArgs) (fileWriteResult, error) {
	files, err := args.open(ctx, call)
	if err != nil {
		return fileWriteResult{}, err
	}
	appends := args.Mode == "append" || args.Mode == "a"
	switch {
	case strings.EqualFold(args.Encoding, base64Encoding):
		data, err := decodeBase64(args.Content)
		if err != nil {
			return fileWriteResult{}, fileError(workspace.CodeInvalidArgument, args.Path, "content is no valid base64: %v", err)
		}
		if appends {
			return written(len(data))(files.Append(ctx, args.Path, data))
		}
		return written(len(data))(files.Write(ctx, args.Path, data, workspace.WriteOptions{}))
	case appends:
		return appendText(ctx, files, args.Path, args.Content, args.Encoding)
	}
	codec := utf8Codec
	if args.Encoding != "" {
		if codec, err = codecNamed(args.Encoding); err != nil {
			return fileWriteResult{}, err
		}
	}
	data, err := codec.encode(args.Content)
	if err != nil {
		return fileWriteResult{}, fileError(workspace.CodeInvalidArgument, args.Path, "%v", err)
	}
	return written(len(data))(files.Write(ctx, args.Path, data, workspace.WriteOptions{}))
}

// written makes the result of a write of n bytes.
func written(n int) func(workspace.Written, error) (fileWriteResult, error) {
	return func(w workspace.Written, err error) (fileWriteResult, error) {
		if err != nil {
			return fileWriteResult{}, err
		}
		return fileWriteResult{Path: w.Path, BytesWritten: n, Created: w.Created}, nil
	}
}

// decodeBase64 takes both alphabets, with or without padding and line breaks.
func decodeBase64(text string) ([]byte, error) {
	plain := strings.NewReplacer("\n", "", "\r", "", " ", "", "\t", "", "-", "+", "_", "/").Replace(text)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(plain, "="))
}

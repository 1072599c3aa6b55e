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
		tools.Category("file"), tools.Effect(tools.Writes), tools.Resolves("content"),
		tools.Preflight(func(_ context.Context, _ tools.Call, args fileWriteArgs) error {
			return workspace.CheckPath(args.Path)
		})))
}

type fileWriteArgs struct {
	Path     string `json:"path" access:"write" jsonschema:"path in the project"`
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
	if err := needPath("path", args.Path); err != nil {
		return fileWriteResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileWriteResult{}, err
	}
	appends := args.Mode == "append" || args.Mode == "a"
	switch {
	case strings.EqualFold(args.Encoding, base64Encoding):
		if hasPlaceholder(call, args.Content) {
			return fileWriteResult{}, tools.Errorf(tools.CodeUnresolvedPlaceholder,
				"content is base64 in which a secret was redacted, so the bytes are not all there: change the file "+
					"with file_edit, or as text; nothing was written")
		}
		data, err := decodeBase64(args.Content)
		if err != nil {
			return fileWriteResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
				"content is no valid base64: %v", err)
		}
		if appends {
			return appendBytes(ctx, call, files, args.Path, data)
		}
		return writeText(ctx, call, files, args.Path, string(data), utf8Codec)
	case appends:
		return appendText(ctx, call, files, args.Path, args.Content, args.Encoding)
	}
	codec := utf8Codec
	if args.Encoding != "" {
		if codec, err = codecNamed(args.Encoding); err != nil {
			return fileWriteResult{}, err
		}
	}
	return writeText(ctx, call, files, args.Path, args.Content, codec)
}

// writeText replaces a file. Secrets that placeholders in the text stand for come
// from what the file holds until then.
func writeText(ctx context.Context, call tools.Call, files workspace.Filesystem, path, text string,
	codec textCodec) (fileWriteResult, error) {
	var data []byte
	encode := func(text string) (err error) {
		if data, err = codec.encode(text); err != nil {
			return fileError(workspace.CodeInvalidArgument, path, "%v", err)
		}
		return nil
	}
	if !hasPlaceholder(call, text) {
		if err := encode(text); err != nil {
			return fileWriteResult{}, err
		}
		return written(len(data))(files.Write(ctx, path, data, workspace.WriteOptions{}))
	}
	w, err := files.Edit(ctx, path, true, func(old []byte) ([]byte, error) {
		resolved, err := resolveIn(ctx, call, path, old, text)
		if err != nil {
			return nil, err
		}
		if err := encode(resolved); err != nil {
			return nil, err
		}
		return data, nil
	})
	return written(len(data))(w, err)
}

// appendBytes adds bytes to a file as they are, but for placeholders in them.
func appendBytes(ctx context.Context, call tools.Call, files workspace.Filesystem, path string,
	data []byte) (fileWriteResult, error) {
	if !hasPlaceholder(call, string(data)) {
		return written(len(data))(files.Append(ctx, path, data))
	}
	added := 0
	w, err := files.Edit(ctx, path, true, func(old []byte) ([]byte, error) {
		resolved, err := resolveIn(ctx, call, path, old, string(data))
		if err != nil {
			return nil, err
		}
		added = len(resolved)
		return append(old, resolved...), nil
	})
	return written(added)(w, err)
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

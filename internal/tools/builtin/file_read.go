package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_read.md
var fileReadDoc string

func init() {
	tools.Register(tools.Define("file_read", fileReadDoc, fileRead,
		tools.Category("file"), tools.Effect(tools.Reads),
		tools.Preflight(func(ctx context.Context, call tools.Call, args fileReadArgs) error {
			return args.preflight(ctx, call, args.Path)
		}),
		tools.Stamp(func(ctx context.Context, call tools.Call, args fileReadArgs) (string, error) {
			return args.stamp(ctx, call, args.Path, false)
		})))
}

type fileReadArgs struct {
	Path        string `json:"path" access:"read" jsonschema:"path in the project"`
	StartLine   int    `json:"start_line,omitempty" jsonschema:"first line, 1-based" minimum:"1"`
	EndLine     int    `json:"end_line,omitempty" jsonschema:"last line, inclusive" minimum:"1"`
	StartColumn int    `json:"start_column,omitempty" jsonschema:"first character of start_line, 1-based, in a very long line (base64: first byte)" minimum:"1"`
	Encoding    string `json:"encoding,omitempty" jsonschema:"default: detected; base64 returns the bytes of a binary file"`
	fileProject
}

type fileReadResult struct {
	Path            string `json:"path"`
	Encoding        string `json:"encoding"`
	Size            int64  `json:"size"` // of the file, bytes
	TotalLines      int    `json:"total_lines"`
	StartLine       int    `json:"start_line"`
	EndLine         int    `json:"end_line"`
	Truncated       bool   `json:"truncated"`
	NextStartLine   int    `json:"next_start_line,omitempty"`
	NextStartColumn int    `json:"next_start_column,omitempty"`
	Hint            string `json:"hint,omitempty"`
	Content         string `json:"content"`

	secrets int // in content
}

// NotCacheable implements tools.NotCacheable: each run that is shown placeholders reads
// the file itself, so that it is known what they stand for to it.
func (r fileReadResult) NotCacheable() bool { return r.secrets > 0 }

const (
	// sniffed is how much of a file its encoding is detected from.
	sniffed = 16 << 20
	// binaryPart fits into the output as base64; like the next one it is a
	// multiple of 3, so that parts can be put together as they are.
	binaryPart = 36 << 10
	// binaryPreview is what an unasked-for look at a binary file shows.
	binaryPreview = 3 << 10
)

func fileRead(ctx context.Context, call tools.Call, args fileReadArgs) (fileReadResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return fileReadResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileReadResult{}, err
	}
	if args.EndLine > 0 && args.EndLine < args.StartLine {
		return fileReadResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"end_line %d lies before start_line %d", args.EndLine, args.StartLine)
	}
	if strings.EqualFold(args.Encoding, base64Encoding) {
		return readBase64(ctx, files, args, binaryPart)
	}
	var named *textCodec
	if args.Encoding != "" && !strings.EqualFold(args.Encoding, "auto") {
		codec, err := codecNamed(args.Encoding)
		if err != nil {
			return fileReadResult{}, err
		}
		named = &codec
	}
	return readRedacted(ctx, call, files, args, named)
}

// leastWindow is what file_read answers with at least, however much placeholders
// make of it.
const leastWindow = 4 << 10

// readRedacted reads less where the text is too long for an answer only once its
// secrets are replaced by placeholders, which are longer.
func readRedacted(ctx context.Context, call tools.Call, files workspace.Filesystem, args fileReadArgs,
	named *textCodec) (fileReadResult, error) {
	p := placeholders(call)
	for limit := maxFileOutput; ; {
		result, err := readText(ctx, files, args, named, limit)
		if p == nil || err != nil {
			return result, err
		}
		size := 0
		result.secrets, size = p.Shown(call, args.Path, result.Content)
		if size <= maxFileOutput || limit == leastWindow {
			return result, nil
		}
		limit = max(leastWindow, limit*maxFileOutput/size*9/10)
	}
}

// readText decodes the file and returns the lines that were asked for.
func readText(ctx context.Context, files workspace.Filesystem, args fileReadArgs, named *textCodec,
	limit int) (fileReadResult, error) {
	source, size, err := openSource(ctx, files, args)
	if err != nil {
		return fileReadResult{}, err
	}
	defer source.Close()
	head, err := io.ReadAll(io.LimitReader(source, sniffed))
	if err != nil {
		return fileReadResult{}, fmt.Errorf("read %q: %w", args.Path, err)
	}
	codec, isText := detectCodec(head)
	if named != nil {
		codec, isText = *named, true
	}
	if !isText {
		return readBase64(ctx, files, args, binaryPreview)
	}
	w := window{
		firstLine: max(args.StartLine, 1), firstColumn: max(args.StartColumn, 1), lastLine: args.EndLine,
		limit: max(limit-min(len(args.Path), 4096), leastWindow),
	}
	if err := w.read(codec.reader(io.MultiReader(bytes.NewReader(head), source), head)); err != nil {
		return fileReadResult{}, fmt.Errorf("read %q: %w", args.Path, err)
	}
	return w.result(args, codec.name, size)
}

// openSource opens the file. Without a range the whole file is meant, and a file
// over the size limit is refused; a part of one can be read.
func openSource(ctx context.Context, files workspace.Filesystem, args fileReadArgs) (io.ReadCloser, int64, error) {
	if args.StartLine == 0 && args.EndLine == 0 && args.StartColumn <= 1 {
		content, err := files.Read(ctx, args.Path, 0, 0)
		if hasFileCode(err, workspace.CodeTooLarge) {
			return nil, 0, fileError(workspace.CodeTooLarge, args.Path,
				"the file is too large to be read as a whole: pass start_line and end_line for a part of it")
		}
		if err != nil {
			return nil, 0, err
		}
		return io.NopCloser(bytes.NewReader(content.Data)), content.Size, nil
	}
	source, entry, err := files.Download(ctx, args.Path)
	return source, entry.Size, err
}

func (w *window) result(args fileReadArgs, encoding string, size int64) (fileReadResult, error) {
	switch {
	case w.firstLine > max(w.totalLines, 1):
		return fileReadResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"start_line %d is behind the end: the file has %d lines", w.firstLine, w.totalLines)
	case w.tooShort && w.firstColumn > 1:
		return fileReadResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"start_column %d is behind the end of line %d", w.firstColumn, w.firstLine)
	}
	result := fileReadResult{
		Path: args.Path, Encoding: encoding, Size: size, Content: string(w.content),
		TotalLines: w.totalLines, StartLine: min(w.firstLine, w.totalLines), EndLine: w.endLine,
		Truncated: w.nextLine > 0, NextStartLine: w.nextLine,
	}
	if !result.Truncated {
		return result, nil
	}
	if w.nextColumn == 1 {
		result.Hint = fmt.Sprintf("lines %d to %d of %d are shown; go on with start_line=%d", w.firstLine, w.endLine,
			w.totalLines, w.nextLine)
		return result, nil
	}
	result.NextStartColumn = w.nextColumn
	result.Hint = fmt.Sprintf("line %d is shown up to character %d; go on with start_line=%d and start_column=%d",
		w.nextLine, w.nextColumn-1, w.nextLine, w.nextColumn)
	return result, nil
}

// readBase64 returns bytes as they are. The file counts as one line, and columns
// are bytes.
func readBase64(ctx context.Context, files workspace.Filesystem, args fileReadArgs,
	limit int64) (fileReadResult, error) {
	asked := strings.EqualFold(args.Encoding, base64Encoding)
	if args.StartLine > 1 {
		return fileReadResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"it is a binary file and has no lines: read on with start_column, its first byte to return")
	}
	offset := int64(max(args.StartColumn, 1) - 1)
	content, err := files.Read(ctx, args.Path, offset, limit)
	if err != nil {
		return fileReadResult{}, err
	}
	if offset > 0 && offset >= content.Size {
		return fileReadResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"start_column %d is behind the end: the file has %d bytes", args.StartColumn, content.Size)
	}
	result := fileReadResult{
		Path: args.Path, Encoding: base64Encoding, Size: content.Size, TotalLines: 1, StartLine: 1, EndLine: 1,
		Content: base64.StdEncoding.EncodeToString(content.Data),
	}
	end := offset + int64(len(content.Data))
	if end < content.Size {
		result.Truncated, result.NextStartLine, result.NextStartColumn = true, 1, int(end)+1
		result.Hint = fmt.Sprintf("bytes %d to %d of %d are shown; go on with encoding=base64 and start_column=%d",
			offset+1, end, content.Size, end+1)
	}
	if !asked {
		result.Hint = strings.TrimSuffix(fmt.Sprintf("it is a binary file (%s), so this is base64; %s",
			http.DetectContentType(content.Data), result.Hint), "; ")
	}
	return result, nil
}

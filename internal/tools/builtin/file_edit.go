package builtin

import (
	"context"
	_ "embed"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_edit.md
var fileEditDoc string

func init() {
	tools.Register(tools.Define("file_edit", fileEditDoc, fileEdit,
		tools.Category("file"), tools.Effect(tools.Writes), tools.Resolves("old_string", "new_string"),
		tools.Preflight(func(ctx context.Context, call tools.Call, args fileEditArgs) error {
			return args.preflight(ctx, call, args.Path)
		})))
}

type fileEditArgs struct {
	Path       string `json:"path" access:"read,write" jsonschema:"path in the project"`
	OldString  string `json:"old_string" jsonschema:"exact text to replace, with its indentation; must occur exactly once, unless replace_all is true"`
	NewString  string `json:"new_string" jsonschema:"text to put in its place; empty to delete"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	fileProject
}

type fileEditResult struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	Line         int    `json:"line"` // of the first replacement, 1-based
	Encoding     string `json:"encoding"`
}

func fileEdit(ctx context.Context, call tools.Call, args fileEditArgs) (fileEditResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return fileEditResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return fileEditResult{}, err
	}
	switch {
	case args.OldString == "":
		return fileEditResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"old_string is empty: pass the text to replace, or use file_write or file_append")
	case args.OldString == args.NewString:
		return fileEditResult{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"old_string and new_string are the same: nothing would change")
	}
	var result fileEditResult
	w, err := files.Edit(ctx, args.Path, false, func(old []byte) ([]byte, error) {
		codec, text, err := editableText(old, args.Path)
		if err != nil {
			return nil, err
		}
		secrets := secretsOf(ctx, call, args.Path, text)
		edited, err := replaceText(text, args, secrets)
		if err != nil {
			return nil, err
		}
		if err := secrets.Hides(edited.text, args.NewString); err != nil {
			return nil, err
		}
		result = fileEditResult{Replacements: edited.count, Line: edited.line, Encoding: codec.name}
		data, err := codec.encode(edited.text)
		if err != nil {
			return nil, fileError(workspace.CodeInvalidArgument, args.Path, "%v", err)
		}
		return data, nil
	})
	result.Path = w.Path
	return result, err
}

// editableText decodes a file so that encoding it again gives back every byte
// that the edit leaves alone. What no encoding explains is edited as bytes.
func editableText(data []byte, path string) (textCodec, string, error) {
	codec, isText := detectCodec(data)
	if !isText {
		return codec, "", fileError(workspace.CodeInvalidArgument, path,
			"it is a binary file: write it as a whole with file_write and encoding base64")
	}
	if text, lossless := codec.decode(data); lossless {
		return codec, text, nil
	}
	return utf8Codec, string(data), nil
}

type editedText struct {
	text  string
	count int
	line  int // of the first replacement
}

// replaceText replaces in the line endings of the text: a model writes \n for
// any of them. A secret, which the model sees as a placeholder, is matched as a
// whole or not at all.
func replaceText(text string, args fileEditArgs, secrets tools.SecretText) (editedText, error) {
	old, err := secrets.Resolve(args.OldString)
	if err != nil {
		return editedText{}, err
	}
	replacement, err := secrets.Resolve(args.NewString)
	if err != nil {
		return editedText{}, err
	}
	breaks, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	if crlf > 0 && (breaks == crlf || !strings.Contains(text, old)) {
		old, replacement = withCRLF(old), withCRLF(replacement)
	}
	places := matches(text, old, secrets)
	switch {
	case len(places) == 0:
		return editedText{}, noMatch(secrets.Blanked(), args)
	case len(places) > 1 && !args.ReplaceAll:
		return editedText{}, fileError(workspace.CodeInvalidArgument, args.Path,
			"old_string occurs %d times (lines %s): add lines around it so that it occurs once, or pass replace_all",
			len(places), linesOf(text, places))
	}
	var out strings.Builder
	from := 0
	for _, at := range places {
		out.WriteString(text[from:at])
		out.WriteString(replacement)
		from = at + len(old)
	}
	out.WriteString(text[from:])
	return editedText{text: out.String(), count: len(places), line: 1 + strings.Count(text[:places[0]], "\n")}, nil
}

// matches are the places where old occurs without cutting a secret.
func matches(text, old string, secrets tools.SecretText) []int {
	var places []int
	for from := 0; ; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			return places
		}
		at += from
		if secrets.Cuts(at, at+len(old)) {
			from = at + 1
			continue
		}
		places = append(places, at)
		from = at + len(old)
	}
}

func withCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

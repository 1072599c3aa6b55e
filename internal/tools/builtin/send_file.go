package builtin

import (
	"context"
	_ "embed"
	"path"
	"strings"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed send_file.md
var sendFileDoc string

func init() {
	tools.Register(tools.Define("send_file_to_user", sendFileDoc, sendFile,
		tools.Category("file"), tools.Effect(tools.Volatile),
		tools.Preflight(func(ctx context.Context, call tools.Call, args sendFileArgs) error {
			return args.preflight(ctx, call, args.Path)
		})))
}

type sendFileArgs struct {
	Path    string `json:"path" access:"read" jsonschema:"path in the project"`
	Caption string `json:"caption,omitempty" jsonschema:"what it is" maxLength:"500"`
	fileProject
}

type sendFileResult struct {
	Path        string `json:"path"`
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"` // bytes
	Caption     string `json:"caption,omitempty"`

	file tools.SentFile
}

// Files implements tools.Delivery.
func (r sendFileResult) Files() []tools.SentFile { return []tools.SentFile{r.file} }

func sendFile(ctx context.Context, call tools.Call, args sendFileArgs) (sendFileResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return sendFileResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return sendFileResult{}, err
	}
	kept, err := services.Get(call.Services, tools.FileStoreKey)
	if err != nil {
		return sendFileResult{}, err
	}
	content, entry, err := files.Download(ctx, args.Path)
	if err != nil {
		return sendFileResult{}, err
	}
	defer content.Close()
	if limit := kept.MaxFile(); entry.Size > limit {
		return sendFileResult{}, fileError(workspace.CodeTooLarge, args.Path,
			"the file has %d bytes, at most %d can be sent (tool_defaults.file_limit): send a part of it, or tell the "+
				"user where it is", entry.Size, limit)
	}
	file, err := kept.KeepFile(ctx, call, sentName(entry.Path), content)
	if err != nil {
		return sendFileResult{}, err
	}
	return sendFileResult{Path: entry.Path, Name: file.Name, ContentType: file.ContentType, Size: file.Size,
		Caption: args.Caption, file: file}, nil
}

// maxSentName is how many bytes the name of an upload may have.
const maxSentName = 255

// sentName is what a file is called for a person: nothing in it is invalid or invisible.
func sentName(file string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(path.Base(file), "_"))
	for len(name) > maxSentName {
		name = strings.ToValidUTF8(name[len(name)-maxSentName:], "")
	}
	return name
}

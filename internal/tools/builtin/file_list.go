package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_list.md
var fileListDoc string

func init() {
	tools.Register(tools.Define("file_list", fileListDoc, fileList,
		tools.Category("file"), tools.Effect(tools.Reads),
		tools.Stamp(func(ctx context.Context, call tools.Call, args fileListArgs) (string, error) {
			return args.stamp(ctx, call, args.Path, args.Recursive)
		})))
}

type fileListArgs struct {
	Path      string `json:"path,omitempty" access:"read,below=recursive" jsonschema:"directory to list; default the root"`
	Pattern   string `json:"pattern,omitempty" jsonschema:"only names like *.go"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"list the directories below as well"`
	fileProject
}

type fileListResult struct {
	Path      string            `json:"path"`
	Entries   []workspace.Entry `json:"entries"`
	Truncated bool              `json:"truncated"`
	Hint      string            `json:"hint,omitempty"`
}

// maxListed is how many entries a model is shown: more fill its context with names.
const maxListed = 300

func fileList(ctx context.Context, call tools.Call, args fileListArgs) (fileListResult, error) {
	files, err := args.open(ctx, call)
	if err != nil {
		return fileListResult{}, err
	}
	if strings.Contains(args.Pattern, "/") {
		return fileListResult{}, fileError(workspace.CodeInvalidArgument, "",
			"the pattern %q has a slash, but is matched with names: use file_glob for paths", args.Pattern)
	}
	listing, err := files.List(ctx, args.Path, workspace.ListOptions{
		Pattern: args.Pattern, Recursive: args.Recursive, DirsFirst: !args.Recursive, Limit: maxListed,
	})
	if err != nil {
		return fileListResult{}, err
	}
	listing = fitListing(listing)
	result := fileListResult{Path: orProjectRoot(args.Path), Entries: listing.Entries, Truncated: listing.Truncated}
	if listing.Truncated {
		result.Hint = fmt.Sprintf("the first %d entries are shown: list a directory below, or pass a pattern",
			len(listing.Entries))
	}
	return result, nil
}

func orProjectRoot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// fitListing keeps the entries whose text fits into the output.
func fitListing(listing workspace.Listing) workspace.Listing {
	const beside = 110 // bytes of an entry beside its name and path
	room := maxFileOutput
	for i, entry := range listing.Entries {
		if room -= len(entry.Name) + len(entry.Path) + beside; room < 0 {
			return workspace.Listing{Entries: listing.Entries[:i], Truncated: true}
		}
	}
	return listing
}

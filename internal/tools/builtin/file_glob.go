package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_glob.md
var fileGlobDoc string

func init() {
	tools.Register(tools.Define("file_glob", fileGlobDoc, fileGlob,
		tools.Category("file"), tools.Effect(tools.Reads), tools.Stamp(fileGlobStamp)))
}

type fileGlobArgs struct {
	Pattern string `json:"pattern" access:"read,pattern" jsonschema:"* and ? within a name, ** for any depth, {a,b}"`
	Path    string `json:"path,omitempty" access:"read,below" jsonschema:"directory to start from; default the root"`
	fileProject
}

type fileGlobResult struct {
	Entries   []workspace.Entry `json:"entries"`
	Truncated bool              `json:"truncated"`
	Hint      string            `json:"hint,omitempty"`
}

func fileGlob(ctx context.Context, call tools.Call, args fileGlobArgs) (fileGlobResult, error) {
	files, err := args.open(ctx, call)
	if err != nil {
		return fileGlobResult{}, err
	}
	listing, err := files.Glob(ctx, args.Pattern, workspace.GlobOptions{Path: args.Path, Limit: maxListed})
	if err != nil {
		return fileGlobResult{}, err
	}
	listing = fitListing(listing)
	result := fileGlobResult{Entries: listing.Entries, Truncated: listing.Truncated}
	switch {
	case listing.Truncated:
		result.Hint = fmt.Sprintf("the first %d paths are shown: pass a narrower pattern or a path",
			len(listing.Entries))
	case len(listing.Entries) == 0 && !strings.Contains(args.Pattern, "**"):
		result.Hint = "nothing matches; a pattern without ** looks at one depth only, **/" +
			strings.TrimPrefix(args.Pattern, "/") + " at every one"
	}
	return result, nil
}

// fileGlobStamp covers the tree that is searched. A pattern that leads into .git,
// which trees leave out, is not cached.
func fileGlobStamp(ctx context.Context, call tools.Call, args fileGlobArgs) (string, error) {
	if strings.Contains(args.Pattern, ".git") {
		return "", nil
	}
	return args.stamp(ctx, call, args.Path, true)
}

package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

//go:embed file_grep.md
var fileGrepDoc string

func init() {
	tools.Register(tools.Define("file_grep", fileGrepDoc, fileGrep,
		tools.Category("file"), tools.Effect(tools.Reads),
		tools.Stamp(func(ctx context.Context, call tools.Call, args fileGrepArgs) (string, error) {
			return args.stamp(ctx, call, args.Path, true)
		})))
}

type fileGrepArgs struct {
	Pattern       string `json:"pattern" jsonschema:"RE2 expression; escape ( ) [ ] { } . * + ? | ^ $ that stand for themselves"`
	Path          string `json:"path,omitempty" access:"read,below" jsonschema:"file or directory to search; default everything"`
	Glob          string `json:"glob,omitempty" access:"read,pattern" jsonschema:"only files like *.go or src/**/*.ts"`
	CaseSensitive bool   `json:"case_sensitive,omitempty" jsonschema:"tell upper from lower case" default:"true"`
	Context       int    `json:"context,omitempty" jsonschema:"lines to show around each match" minimum:"0" maximum:"10"`
	MaxResults    int    `json:"max_results,omitempty" jsonschema:"matches to return" minimum:"1" maximum:"1000" default:"100"`
	fileProject
}

type fileGrepResult struct {
	Matches       []workspace.Match `json:"matches"`
	FilesSearched int               `json:"files_searched"`
	FilesSkipped  int               `json:"files_skipped"`
	Truncated     bool              `json:"truncated"`
	Hint          string            `json:"hint,omitempty"`
}

func fileGrep(ctx context.Context, call tools.Call, args fileGrepArgs) (fileGrepResult, error) {
	files, err := args.open(ctx, call)
	if err != nil {
		return fileGrepResult{}, err
	}
	found, err := files.Grep(ctx, workspace.GrepOptions{
		Pattern: args.Pattern, CaseSensitive: args.CaseSensitive, Path: args.Path, Glob: args.Glob,
		Context: args.Context, MaxResults: args.MaxResults,
	})
	if err != nil {
		return fileGrepResult{}, err
	}
	matches, cut := fitMatches(found.Matches)
	result := fileGrepResult{
		Matches: matches, FilesSearched: found.FilesSearched, FilesSkipped: found.FilesSkipped,
		Truncated: found.Truncated || cut,
	}
	if result.Truncated {
		result.Hint = fmt.Sprintf("the first %d matches are shown: narrow the pattern, the path or the glob",
			len(matches))
	}
	return result, nil
}

// fitMatches keeps the matches whose text fits into the output.
func fitMatches(matches []workspace.Match) (kept []workspace.Match, cut bool) {
	const beside = 80 // bytes of a match beside its text
	room := maxFileOutput
	for i, match := range matches {
		room -= len(match.Path) + len(match.Text) + beside
		for _, line := range append(match.Before[:len(match.Before):len(match.Before)], match.After...) {
			room -= len(line) + 4
		}
		if room < 0 {
			return matches[:i], true
		}
	}
	return matches, false
}

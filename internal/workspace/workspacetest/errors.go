package workspacetest

import (
	"testing"

	"nanoclaw/internal/workspace"
)

func testErrors(t *testing.T, open Open) {
	files := open(t, workspace.Limits{})
	put(t, files, "dir/file", "x")
	ctx := t.Context()

	_, readMissing := files.Read(ctx, "missing", 0, 0)
	_, readBelowMissing := files.Read(ctx, "no/such/file", 0, 0)
	_, statMissing := files.Stat(ctx, "missing")
	_, readDir := files.Read(ctx, "dir", 0, 0)
	_, writeDir := files.Write(ctx, "dir", nil, workspace.WriteOptions{})
	_, appendDir := files.Append(ctx, "dir", nil)
	_, belowFile := files.Write(ctx, "dir/file/below", nil, workspace.WriteOptions{})
	_, listFile := files.List(ctx, "dir/file", workspace.ListOptions{})
	_, listMissing := files.List(ctx, "missing", workspace.ListOptions{})
	_, mkdirFile := files.Mkdir(ctx, "dir/file")
	_, badOffset := files.Read(ctx, "dir/file", -1, 0)
	_, badGlob := files.Glob(ctx, "[", workspace.GlobOptions{})
	_, emptyGlob := files.Glob(ctx, "", workspace.GlobOptions{})
	_, costlyGlob := files.Glob(ctx, "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", workspace.GlobOptions{})
	_, badPattern := files.Grep(ctx, workspace.GrepOptions{Pattern: "("})
	_, noPattern := files.Grep(ctx, workspace.GrepOptions{})
	_, grepMissing := files.Grep(ctx, workspace.GrepOptions{Pattern: "x", Path: "missing"})
	_, globMissing := files.Glob(ctx, "*", workspace.GlobOptions{Path: "missing"})
	_, createExisting := files.Write(ctx, "dir/file", nil, workspace.WriteOptions{IfNoneMatch: true})
	_, stale := files.Write(ctx, "dir/file", nil, workspace.WriteOptions{IfMatch: "0123"})
	_, slash := files.Write(ctx, "new/dir/", nil, workspace.WriteOptions{})
	_, goneMatch := files.Write(ctx, "new/file", nil, workspace.WriteOptions{IfMatch: "*"})

	for name, c := range map[string]struct {
		err  error
		want workspace.Code
	}{
		"reading nothing":       {readMissing, workspace.CodeNotFound},
		"reading below nothing": {readBelowMissing, workspace.CodeNotFound},
		"stat of nothing":       {statMissing, workspace.CodeNotFound},
		"deleting nothing": {files.Delete(ctx, "missing", workspace.DeleteOptions{}),
			workspace.CodeNotFound},
		"moving nothing":           {files.Move(ctx, "missing", "x"), workspace.CodeNotFound},
		"listing nothing":          {listMissing, workspace.CodeNotFound},
		"searching nothing":        {grepMissing, workspace.CodeNotFound},
		"a glob in nothing":        {globMissing, workspace.CodeNotFound},
		"reading a directory":      {readDir, workspace.CodeNotAFile},
		"writing a directory":      {writeDir, workspace.CodeNotAFile},
		"appending to a directory": {appendDir, workspace.CodeNotAFile},
		"deleting a directory like a file": {files.Delete(ctx, "dir", workspace.DeleteOptions{}),
			workspace.CodeNotAFile},
		"writing below a file":                 {belowFile, workspace.CodeNotADirectory},
		"listing a file":                       {listFile, workspace.CodeNotADirectory},
		"a directory where a file is":          {mkdirFile, workspace.CodeAlreadyExists},
		"creating what exists":                 {createExisting, workspace.CodeAlreadyExists},
		"moving onto something":                {files.Move(ctx, "dir/file", "dir"), workspace.CodeAlreadyExists},
		"moving a directory into itself":       {files.Move(ctx, "dir", "dir/deep/er"), workspace.CodeInvalidArgument},
		"a negative offset":                    {badOffset, workspace.CodeInvalidArgument},
		"a broken glob":                        {badGlob, workspace.CodeInvalidArgument},
		"an empty glob":                        {emptyGlob, workspace.CodeInvalidArgument},
		"a glob that takes for ever":           {costlyGlob, workspace.CodeInvalidArgument},
		"a broken expression":                  {badPattern, workspace.CodeInvalidArgument},
		"an empty expression":                  {noPattern, workspace.CodeInvalidArgument},
		"a file with a directory's name":       {slash, workspace.CodeInvalidArgument},
		"an etag of another version":           {stale, workspace.CodePreconditionFailed},
		"any etag of a file that is not there": {goneMatch, workspace.CodePreconditionFailed},
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, c.err, c.want) })
	}
	t.Run("a failed call leaves no parents behind", func(t *testing.T) {
		wantPaths(t, must(files.List(ctx, "", workspace.ListOptions{Recursive: true}))(t), "dir", "dir/file")
	})
	t.Run("a missing path does not exist, also below a file", func(t *testing.T) {
		for path, want := range map[string]bool{"missing": false, "dir/file/below": false, "dir": true,
			"dir/file": true} {
			if got := must(files.Exists(ctx, path))(t); got != want {
				t.Errorf("exists(%q) = %v", path, got)
			}
		}
	})
}

package workspacetest

import (
	"io"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

func testLimits(t *testing.T, open Open) {
	t.Run("a file over the size limit is too large however it is written", func(t *testing.T) {
		files := open(t, workspace.Limits{MaxFileSize: 10})
		put(t, files, "f", "0123456789")
		_, err := files.Write(t.Context(), "f", []byte("0123456789a"), workspace.WriteOptions{})
		wantCode(t, err, workspace.CodeTooLarge)
		_, err = files.Upload(t.Context(), "d/g", strings.NewReader("0123456789a"), workspace.WriteOptions{})
		wantCode(t, err, workspace.CodeTooLarge)
		_, err = files.Append(t.Context(), "f", []byte("a"))
		wantCode(t, err, workspace.CodeTooLarge)
		_, err = files.Edit(t.Context(), "f", false, func(old []byte) ([]byte, error) { return append(old, 'a'), nil })
		wantCode(t, err, workspace.CodeTooLarge)
		wantContent(t, files, "f", "0123456789")
		wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{}))(t), "f")
	})
	t.Run("the number of files is bounded, and deleting makes room", func(t *testing.T) {
		files := open(t, workspace.Limits{MaxFiles: 3})
		put(t, files, "a", "x")
		put(t, files, "d/b", "x")
		put(t, files, "d/c", "x")
		_, err := files.Write(t.Context(), "e", []byte("x"), workspace.WriteOptions{})
		wantCode(t, err, workspace.CodeQuotaExceeded)
		put(t, files, "a", "replacing does not make a new file")
		if err := files.Delete(t.Context(), "d", workspace.DeleteOptions{Recursive: true}); err != nil {
			t.Fatal(err)
		}
		put(t, files, "e", "x")
		put(t, files, "f", "x")
		_, err = files.Append(t.Context(), "g", []byte("x"))
		wantCode(t, err, workspace.CodeQuotaExceeded)
		if err := files.Delete(t.Context(), "e", workspace.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		put(t, files, "g", "x")
	})
	t.Run("the bytes of all files are bounded", func(t *testing.T) {
		files := open(t, workspace.Limits{MaxTotalSize: 100})
		put(t, files, "a", strings.Repeat("x", 60))
		put(t, files, "b", strings.Repeat("x", 40))
		_, err := files.Write(t.Context(), "c", []byte("x"), workspace.WriteOptions{})
		wantCode(t, err, workspace.CodeQuotaExceeded)
		_, err = files.Append(t.Context(), "a", []byte("x"))
		wantCode(t, err, workspace.CodeQuotaExceeded)
		put(t, files, "a", "smaller")
		put(t, files, "c", strings.Repeat("x", 53))
		_, err = files.Upload(t.Context(), "d", io.LimitReader(strings.NewReader("x"), 1), workspace.WriteOptions{})
		wantCode(t, err, workspace.CodeQuotaExceeded)
	})
	t.Run("denied names are denied at every depth and in any case", func(t *testing.T) {
		files := open(t, workspace.Limits{DeniedNames: []string{"*.exe", ".env", "secrets/**", "Private"}})
		put(t, files, "ok.txt", "x")
		for _, path := range []string{"a.exe", "d/A.EXE", ".env", "d/.env", ".env/below", "secrets/key",
			"SECRETS/deep/key", "d/private/x"} {
			_, err := files.Write(t.Context(), path, []byte("x"), workspace.WriteOptions{})
			wantCode(t, err, workspace.CodeAccessDenied)
			_, err = files.Read(t.Context(), path, 0, 0)
			wantCode(t, err, workspace.CodeAccessDenied)
			wantCode(t, files.Move(t.Context(), "ok.txt", path), workspace.CodeAccessDenied)
		}
		put(t, files, "d/secrets.txt", "x")
		put(t, files, ".environment", "x")
	})
}

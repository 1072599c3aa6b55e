package workspacetest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

// OddNames are legal names that break careless code.
var OddNames = []string{
	"你好 世界.txt", "with space", " leading space", "trailing space ", "new\nline", "tab\there",
	`quote"s`, "quote's", "-dash", "--help", "+plus", "100%", "%41", "%2e%2e", "..%2fetc", "a%00b",
	"a@b", "a&b", "a?b", "a#b", "a*b", "[x]", "{x}", "~", "~root", "$HOME", "`id`", ";rm", "|pipe",
	`back\slash`, "..hidden", "...", ".hidden", "name.", "emoji 🦀", "e\u0301", "\u00e9", "CON", "nul",
	strings.Repeat("长", 80), "\x01control", "bad\xffutf8",
}

// fileScenarios are about the content of single files.
var fileScenarios = []scenario{
	{"a write creates the file with its parents, a second one replaces it",
		func(t *testing.T, files workspace.Filesystem) {
			first := put(t, files, "a/b/c.txt", "one")
			if !first.Created || first.Size != 3 || first.Path != "a/b/c.txt" || first.ETag == "" {
				t.Fatalf("first write reports %+v", first)
			}
			second := put(t, files, "a/b/c.txt", "second")
			if second.Created || second.Size != 6 || second.ETag == first.ETag {
				t.Fatalf("second write reports %+v", second)
			}
			wantContent(t, files, "a/b/c.txt", "second")
			entry := must(files.Stat(t.Context(), "a/b/c.txt"))(t)
			if entry.Name != "c.txt" || entry.Path != "a/b/c.txt" || entry.Type != workspace.TypeFile ||
				entry.Size != 6 ||
				entry.Modified.IsZero() {
				t.Fatalf("stat says %+v", entry)
			}
		}},
	{"a file of any bytes comes back as it was", func(t *testing.T, files workspace.Filesystem) {
		all := make([]byte, 0, 70000)
		for i := range 70000 {
			all = append(all, byte(i*i>>3))
		}
		for name, content := range map[string]string{"bytes": string(all), "empty": "", "crlf": "a\r\nb\r\n\x00"} {
			put(t, files, name, content)
			wantContent(t, files, name, content)
		}
	}},
	{"a piece of a file is read by offset and limit", func(t *testing.T, files workspace.Filesystem) {
		put(t, files, "f", "0123456789")
		for _, c := range []struct {
			offset, limit int64
			want          string
		}{{0, 4, "0123"}, {4, 4, "4567"}, {8, 4, "89"}, {10, 4, ""}, {99, 4, ""}, {3, 0, "3456789"}} {
			got := must(files.Read(t.Context(), "f", c.offset, c.limit))(t)
			if string(got.Data) != c.want || got.Size != 10 || got.Offset != c.offset {
				t.Errorf("read(%d, %d) = %q of %d at %d, want %q", c.offset, c.limit, got.Data, got.Size, got.Offset,
					c.want)
			}
		}
	}},
	{"any legal name works, and names are not decoded", func(t *testing.T, files workspace.Filesystem) {
		for _, name := range OddNames {
			put(t, files, "odd/"+name, "content of "+name)
		}
		for _, name := range OddNames {
			wantContent(t, files, "odd/"+name, "content of "+name)
		}
		listing := must(files.List(t.Context(), "odd", workspace.ListOptions{}))(t)
		if len(listing.Entries) != len(OddNames) {
			t.Fatalf("%d names were written, %d are listed: %q", len(OddNames), len(listing.Entries), paths(listing))
		}
		for _, name := range OddNames {
			if err := files.Delete(t.Context(), "odd/"+name, workspace.DeleteOptions{}); err != nil {
				t.Errorf("delete %q: %v", name, err)
			}
		}
	}},
	{"upload and download stream a file with its etag", func(t *testing.T, files workspace.Filesystem) {
		content := strings.Repeat("流", 100_000)
		written := must(files.Upload(t.Context(), "up/big", io.MultiReader(strings.NewReader(content)),
			workspace.WriteOptions{}))(t)
		reader, entry, err := files.Download(t.Context(), "up/big")
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		got := must(io.ReadAll(reader))(t)
		if string(got) != content || entry.ETag != written.ETag || entry.Size != int64(len(content)) {
			t.Fatalf("downloaded %d bytes with %+v, wrote %+v", len(got), entry, written)
		}
	}},
	{"append adds to the end, or creates the file", func(t *testing.T, files workspace.Filesystem) {
		if w := must(files.Append(t.Context(), "log/x", []byte("a\n")))(t); !w.Created || w.Size != 2 {
			t.Fatalf("first append reports %+v", w)
		}
		if w := must(files.Append(t.Context(), "log/x", []byte("b\n")))(t); w.Created || w.Size != 4 {
			t.Fatalf("second append reports %+v", w)
		}
		wantContent(t, files, "log/x", "a\nb\n")
	}},
	{"edit changes the content, and its error changes nothing", func(t *testing.T, files workspace.Filesystem) {
		before := put(t, files, "f", "old")
		refused := errors.New("no match")
		_, err := files.Edit(t.Context(), "f", false, func([]byte) ([]byte, error) { return []byte("x"), refused })
		if err != refused {
			t.Fatalf("the change's error came back as %v", err)
		}
		wantContent(t, files, "f", "old")
		after := must(files.Edit(t.Context(), "f", false, func(old []byte) ([]byte, error) {
			return append(old,
				"er"...), nil
		}))(t)
		if after.Created || after.ETag == before.ETag {
			t.Fatalf("edit reports %+v", after)
		}
		wantContent(t, files, "f", "older")
	}},
	{"edit creates a missing file only when asked to", func(t *testing.T, files workspace.Filesystem) {
		change := func(old []byte) ([]byte, error) {
			if old != nil {
				t.Errorf("a missing file is %q, want nil", old)
			}
			return []byte("new"), nil
		}
		_, err := files.Edit(t.Context(), "d/f", false, change)
		wantCode(t, err, workspace.CodeNotFound)
		if w := must(files.Edit(t.Context(), "d/f", true, change))(t); !w.Created {
			t.Fatalf("edit reports %+v", w)
		}
		wantContent(t, files, "d/f", "new")
	}},
	{"a cancelled call ends with the context's error", func(t *testing.T, files workspace.Filesystem) {
		put(t, files, "f", "x")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, writeErr := files.Write(ctx, "g", []byte("x"), workspace.WriteOptions{})
		_, readErr := files.Read(ctx, "f", 0, 0)
		_, grepErr := files.Grep(ctx, workspace.GrepOptions{Pattern: "x"})
		for _, err := range []error{writeErr, readErr, grepErr} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v, want the context's", err)
			}
		}
		if must(files.Exists(t.Context(), "g"))(t) {
			t.Error("the cancelled write left a file")
		}
	}},
}

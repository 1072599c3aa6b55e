package workspacetest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"nanoclaw/internal/workspace"
)

// atomicityScenarios are about writes that fail or happen at the same time.
var atomicityScenarios = []scenario{
	{"an upload that fails half-way leaves the old file and nothing else",
		func(t *testing.T, files workspace.Filesystem) {
			put(t, files, "f", "old")
			broken := errors.New("connection lost")
			for _, path := range []string{"f", "new/dir/g"} {
				stream := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
				if _, err := files.Upload(t.Context(), path, stream, workspace.WriteOptions{}); err != broken {
					t.Fatalf("upload ended with %v", err)
				}
			}
			wantContent(t, files, "f", "old")
			wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{Recursive: true}))(t), "f")
		}},
	{"a write happens only to the version that the caller knows", func(t *testing.T, files workspace.Filesystem) {
		first := put(t, files, "f", "one")
		second := must(files.Write(t.Context(), "f", []byte("two"), workspace.WriteOptions{IfMatch: first.ETag}))(t)
		_, err := files.Write(t.Context(), "f", []byte("three"), workspace.WriteOptions{IfMatch: first.ETag})
		wantCode(t, err, workspace.CodePreconditionFailed)
		wantContent(t, files, "f", "two")
		wantCode(t, files.Delete(t.Context(), "f", workspace.DeleteOptions{IfMatch: first.ETag}),
			workspace.CodePreconditionFailed)
		if err := files.Delete(t.Context(), "f", workspace.DeleteOptions{IfMatch: second.ETag}); err != nil {
			t.Fatal(err)
		}
	}},
	{"of 32 concurrent creates exactly one wins", func(t *testing.T, files workspace.Filesystem) {
		var won atomic.Int32
		together(32, func(i int) {
			_, err := files.Write(t.Context(), "d/f", fmt.Append(nil, i), workspace.WriteOptions{IfNoneMatch: true})
			if err == nil {
				won.Add(1)
			} else if code := codeOf(err); code != workspace.CodeAlreadyExists {
				t.Errorf("a loser got %v", err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("%d creates won", won.Load())
		}
	}},
	{"of 8 writes with one etag exactly one wins", func(t *testing.T, files workspace.Filesystem) {
		first := put(t, files, "f", "start")
		var won atomic.Int32
		together(8, func(i int) {
			_, err := files.Write(t.Context(), "f", fmt.Append(nil, "version ", i),
				workspace.WriteOptions{IfMatch: first.ETag})
			if err == nil {
				won.Add(1)
			} else if code := codeOf(err); code != workspace.CodePreconditionFailed {
				t.Errorf("a loser got %v", err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("%d writes won", won.Load())
		}
	}},
	{"8 times 25 concurrent edits and appends lose nothing", func(t *testing.T, files workspace.Filesystem) {
		together(8, func(i int) {
			for j := range 25 {
				line := fmt.Sprintf("%d-%d\n", i, j)
				var err error
				if i%2 == 0 {
					_, err = files.Append(t.Context(), "f", []byte(line))
				} else {
					_, err = files.Edit(t.Context(), "f", true, func(old []byte) ([]byte,
						error) {
						return append([]byte(line), old...), nil
					})
				}
				if err != nil {
					t.Errorf("edit %s: %v", line, err)
				}
			}
		})
		content := string(must(files.Read(t.Context(), "f", 0, 0))(t).Data)
		for i := range 8 {
			for j := range 25 {
				if n := strings.Count("\n"+content, fmt.Sprintf("\n%d-%d\n", i, j)); n != 1 {
					t.Errorf("line %d-%d is there %d times", i, j, n)
				}
			}
		}
	}},
	{"a reader sees one version whole, and no half-written file is listed",
		func(t *testing.T, files workspace.Filesystem) {
			version := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 50_000) }
			put(t, files, "f", version(0))
			done := make(chan struct{})
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
						}
						got, err := files.Read(t.Context(), "f", 0, 0)
						if err != nil || len(got.Data) != 50_000 || strings.Count(string(got.Data),
							string(got.Data[:1])) != 50_000 {
							t.Errorf("read %d bytes, %v", len(got.Data), err)
							return
						}
						listing, err := files.List(t.Context(), "", workspace.ListOptions{})
						if err != nil || len(listing.Entries) != 1 {
							t.Errorf("listed %q, %v", paths(listing), err)
							return
						}
					}
				})
			}
			for i := range 100 {
				put(t, files, "f", version(i))
			}
			close(done)
			readers.Wait()
		}},
}

// together runs n goroutines at once and waits for them.
func together(n int, work func(i int)) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		group.Go(func() { <-start; work(i) })
	}
	close(start)
	group.Wait()
}

func codeOf(err error) workspace.Code {
	var own *workspace.Error
	if errors.As(err, &own) {
		return own.Code
	}
	return ""
}

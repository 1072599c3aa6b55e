// Package workspacetest is the conformance suite of workspace.Filesystem: what
// every implementation must do, whatever holds its files. It knows the interface
// alone.
package workspacetest

import (
	"errors"
	"fmt"
	"testing"

	"nanoclaw/internal/workspace"
)

// Open returns an empty file system that keeps the limits.
type Open func(t *testing.T, limits workspace.Limits) workspace.Filesystem

// Run proves WS1 and what FS1, FS2, FS3 and FS6 say of every file system.
func Run(t *testing.T, open Open) {
	for _, group := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"WS1 files are read and written", inOrder(fileScenarios)},
		{"FS1 paths stay inside", testPaths},
		{"FS2 errors have codes", testErrors},
		{"FS3 limits are kept", testLimits},
		{"FS6 writes are atomic", inOrder(atomicityScenarios)},
		{"WS1 directories are made, moved and deleted", testTree},
		{"WS1 listings and globs are sorted and bounded", testListing},
		{"WS1 grep finds lines", testGrep},
		{"WS1 stamps change with what a read would see", testStamps},
	} {
		t.Run(group.name, func(t *testing.T) { t.Parallel(); group.test(t, open) })
	}
}

// scenario is a test of a file system that is empty and has no limits.
type scenario struct {
	name string
	test func(t *testing.T, files workspace.Filesystem)
}

// inOrder runs scenarios, each with a file system of its own.
func inOrder(scenarios []scenario) func(*testing.T, Open) {
	return func(t *testing.T, open Open) {
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) { s.test(t, open(t, workspace.Limits{})) })
		}
	}
}

// must fails the test at once on an error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return value
	}
}

// put writes a file.
func put(t *testing.T, files workspace.Filesystem, path, content string) workspace.Written {
	t.Helper()
	return must(files.Write(t.Context(), path, []byte(content), workspace.WriteOptions{}))(t)
}

// wantContent reads a file and compares it.
func wantContent(t *testing.T, files workspace.Filesystem, path, want string) {
	t.Helper()
	got := must(files.Read(t.Context(), path, 0, 0))(t)
	if string(got.Data) != want {
		t.Fatalf("%q holds %q, want %q", path, short(string(got.Data)), short(want))
	}
}

// wantCode checks that err is an *Error with the code.
func wantCode(t *testing.T, err error, want workspace.Code) {
	t.Helper()
	var own *workspace.Error
	if !errors.As(err, &own) || own.Code != want {
		t.Fatalf("error is %v (%T), want code %s", err, err, want)
	}
}

func paths(listing workspace.Listing) []string {
	found := []string{}
	for _, entry := range listing.Entries {
		found = append(found, entry.Path)
	}
	return found
}

func wantPaths(t *testing.T, listing workspace.Listing, want ...string) {
	t.Helper()
	if got := fmt.Sprintf("%q", paths(listing)); got != fmt.Sprintf("%q", append([]string{}, want...)) {
		t.Fatalf("paths are %s, want %q", got, want)
	}
}

func short(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}

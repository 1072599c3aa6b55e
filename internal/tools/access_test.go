package tools

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func defineWith[A any](options ...Option) *Tool {
	run := func(context.Context, Call, A) (int, error) { return 0, nil }
	return Define("x", "doc", run, append(options, Effect(Writes))...)
}

// TG2: what a call does with files stands in the tags of its arguments.
func TestAnAccessTagSaysWhatACallDoesWithAFile(t *testing.T) {
	t.Parallel()
	type arguments struct {
		Path      string   `json:"path" access:"read,below=recursive"`
		Outputs   []string `json:"outputs,omitempty" access:"write,delete,below"`
		Only      string   `json:"only,omitempty" access:"list,pattern"`
		Database  string   `json:"database,omitempty" access:"read,or=database"`
		From      string   `json:"from,omitempty" access:"none" jsonschema:"the unit to convert from"`
		Recursive bool     `json:"recursive,omitempty"`
		FromEnd   bool     `json:"from_end,omitempty"`
	}
	want := []FileArgument{
		{Property: "path", Operations: []string{FileRead}, BelowIf: "recursive"},
		{Property: "outputs", Operations: []string{FileWrite, FileDelete}, Below: true},
		{Property: "only", Operations: []string{FileList}, Pattern: true},
		{Property: "database", Operations: []string{FileRead}, OrDatabase: true},
	}
	if got := defineWith[arguments]().Files; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if tool := defineWith[struct{}](AnyFile()); !tool.AnyFile || len(tool.Files) != 0 {
		t.Errorf("%+v", tool)
	}
}

// TG2: a path without an access cannot be defined.
func TestAPathArgumentCannotForgetItsAccess(t *testing.T) {
	t.Parallel()
	type path struct {
		Path string `json:"path"`
	}
	type paths struct {
		Paths []string `json:"input_files"`
	}
	type pointer struct {
		To *string `json:"to,omitempty"`
	}
	type described struct {
		Target string `json:"target" jsonschema:"path in the project"`
	}
	type nested struct {
		Edits []path `json:"edits"`
	}
	type nestedTagged struct {
		Edits []struct {
			Path string `json:"path" access:"write"`
		} `json:"edits"`
	}
	type unknown struct {
		Path string `json:"path" access:"reads"`
	}
	type empty struct {
		Path string `json:"path" access:"below"`
	}
	type number struct {
		Path int `json:"path" access:"read"`
	}
	type below struct {
		Path string `json:"path" access:"read,below=all"`
	}
	const missing = `say what the tool does with the file with access:"read"`
	for name, c := range map[string]struct {
		define func()
		say    string
	}{
		"by its name":                 {func() { defineWith[path]() }, missing},
		"a list":                      {func() { defineWith[paths]() }, missing},
		"a pointer":                   {func() { defineWith[pointer]() }, missing},
		"by its description":          {func() { defineWith[described]() }, missing},
		"in a nested struct":          {func() { defineWith[nested]() }, missing},
		"where the guard cannot look": {func() { defineWith[nestedTagged]() }, "nested struct"},
		"an unknown word":             {func() { defineWith[unknown]() }, `"reads" is unknown`},
		"no operation":                {func() { defineWith[empty]() }, "names no operation"},
		"of a number":                 {func() { defineWith[number]() }, "fits a text"},
		"below an unknown argument":   {func() { defineWith[below]() }, `no boolean argument "all"`},
	} {
		if said := panicText(c.define); !strings.Contains(said, c.say) {
			t.Errorf("%s: the panic says %q, want %q in it", name, said, c.say)
		}
	}
}

package mcp

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// TS7: the resources of a server can be listed and read, under the rules of its tools.
func TestResourcesOfAServerCanBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := program("resources")
	one.Effects = map[string]string{"list_resources": "volatile"}
	w.apply(map[string]config.MCPServer{"test": one})
	w.ready("test")
	for name, effect := range map[string]tools.EffectKind{"mcp__test__list_resources": tools.Volatile,
		"mcp__test__read_resource": tools.Writes} {
		if tool, found := w.registry.Get(name); !found || tool.Effect != effect || tool.Category != Category {
			t.Errorf("%s: found %v, %+v", name, found, tool)
		}
	}
	listed, err := json.Marshal(w.registry.Execute(t.Context(), "mcp__test__list_resources", tools.Call{}, nil))
	const want = `[{"uri":"test://note","name":"note","description":"a note","mime_type":"text/plain"},{"uri_template":"test://day/{date}","name":"day"}]`
	if err != nil || !strings.Contains(string(listed), want) {
		t.Errorf("listed %s, %v", listed, err)
	}
	read := func(uri string) answered {
		return w.call(t.Context(), "mcp__test__read_resource", tools.Call{}, map[string]any{"uri": uri})
	}
	if got := read("test://note"); got.text() != "remember the milk" {
		t.Errorf("read %+v", got)
	}
	if got := read("test://day/1"); len(got.Data.Content) != 1 ||
		got.Data.Content[0].Data != base64.StdEncoding.EncodeToString([]byte("test://day/1")) {
		t.Errorf("read %+v", got)
	}
	if got := read("test://missing"); got.Success || !strings.Contains(got.Error, "refused the call") {
		t.Errorf("a missing resource answered %+v", got)
	}
}

// TS7: a server without resources gets no tools for them, and an allow-list holds for them too.
func TestToolsForResourcesAreOfferedWhereThereAreResources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	some := program("resources")
	some.Tools = []string{"echo", "read_*"}
	w.apply(map[string]config.MCPServer{"plain": program("tools"), "some": some})
	w.ready("plain")
	w.ready("some")
	for name, want := range map[string]bool{"mcp__plain__read_resource": false, "mcp__some__read_resource": true,
		"mcp__some__list_resources": false} {
		if _, found := w.registry.Get(name); found != want {
			t.Errorf("%s is there: %v", name, found)
		}
	}
}

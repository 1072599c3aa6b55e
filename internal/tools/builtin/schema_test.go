package builtin

import (
	"encoding/json"
	"testing"

	"nanoclaw/internal/tools"
)

// maxSchemas is how many bytes the definitions of all tools that ship may take of
// every model call, where all can be offered: browser_use needs Chromium.
const maxSchemas = 21 << 10

// TS2: the model is told of all tools in few words.
func TestAllToolsTogetherAreDescribedInFewWords(t *testing.T) {
	t.Parallel()
	var all []tools.Definition
	for _, tool := range tools.Default().List() {
		if tool.Name == "read_skill" { // offered only where there is a skill
			continue
		}
		definition := tool.ToDefinition()
		encoded, err := json.Marshal(definition)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-24s %5d bytes, %5d of them the description", tool.Name, len(encoded), len(tool.Description))
		all = append(all, definition)
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools take %d bytes", len(all), len(encoded))
	if len(encoded) >= maxSchemas {
		t.Errorf("%d tools take %d bytes of every model call, at most %d are wanted", len(all), len(encoded),
			maxSchemas)
	}
}

// property is the part of a schema that the test below looks at.
type property struct {
	Description string
	Properties  map[string]property
	Items       *property
}

// TS2: every argument of every tool is documented.
func TestEveryArgumentIsDocumented(t *testing.T) {
	t.Parallel()
	arguments := 0
	var look func(where string, p property)
	look = func(where string, p property) {
		for name, below := range p.Properties {
			if arguments++; below.Description == "" {
				t.Errorf("%s.%s has no description", where, name)
			}
			look(where+"."+name, below)
		}
		if p.Items != nil {
			look(where+"[]", *p.Items)
		}
	}
	for _, tool := range tools.Default().List() {
		var schema property
		if err := json.Unmarshal(tool.ToDefinition().Function.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		look(tool.Name, schema)
	}
	if arguments < 60 {
		t.Errorf("only %d arguments were found", arguments)
	}
}

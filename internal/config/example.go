package config

import (
	_ "embed"
	"strings"
)

// Example is a piece of config.yml that shows how a key whose default is empty
// is filled; "" where a key needs none. It begins with the key itself, unindented.
func Example(path string) string { return examples[path] }

//go:embed examples.yml
var examplesFile string

var examples = func() map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(examplesFile, "--- # ")[1:] {
		path, text, _ := strings.Cut(part, "\n")
		out[path] = text
	}
	return out
}()

package mcp

import (
	"regexp"
	"testing"
)

// TS7: whatever a server calls its tools, the name fits every provider.
func FuzzToolName(f *testing.F) {
	f.Add("files", "read_file")
	f.Add("a", "\xff\x00日本")
	f.Add("", "")
	valid := regexp.MustCompile(`^mcp__[a-zA-Z0-9_-]{0,59}$`)
	f.Fuzz(func(t *testing.T, server, tool string) {
		if name := ToolName(server, tool); !valid.MatchString(name) || name != ToolName(server, tool) {
			t.Errorf("ToolName(%q, %q) = %q", server, tool, name)
		}
	})
}

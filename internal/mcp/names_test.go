package mcp

import (
	"regexp"
	"strings"
	"testing"
)

// TS7: names fit every provider, and keep the tool's own name while there is room.
func TestNamesOfToolsFitEveryProvider(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	for _, test := range []struct{ server, tool, want string }{
		{"files", "read_file", "mcp__files__read_file"},
		{"my.server", "get weather/日本", "mcp__my_server__get_weather___"},
		{"a", "multi.agent", "mcp__a__multi_agent"},
	} {
		if got := ToolName(test.server, test.tool); got != test.want {
			t.Errorf("ToolName(%q, %q) = %q, want %q", test.server, test.tool, got, test.want)
		}
	}
	valid := regexp.MustCompile(`^mcp__[a-zA-Z0-9_-]{1,59}$`)
	seen := map[string]bool{}
	for _, pair := range [][2]string{{long, long}, {long + "y", long}, {long, long + "y"}, {"s", long},
		{"s", long + "y"}, {long, "t"}, {"s", strings.Repeat("x", 500)}} {
		name := ToolName(pair[0], pair[1])
		if !valid.MatchString(name) || seen[name] {
			t.Errorf("ToolName(%q, %q) = %q", pair[0], pair[1], name)
		}
		seen[name] = true
	}
	// MA3: a blocked tool is known by the end of its name, under any server.
	if name := ToolName(long, "multi_agent"); !strings.HasSuffix(name, "__multi_agent") {
		t.Errorf("the alias %q hides its tool", name)
	}
}

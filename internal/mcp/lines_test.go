package mcp

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// TS7: what is no message on a program's output is skipped, and every message
// passes, however it comes in pieces.
func TestOnlyMessagesPass(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 200<<10) + `"}`
	in := "Server starting…\n\n" + `{"jsonrpc":"2.0","id":1}` + "\r\n" + `{"level":"info","msg":"ready"}` +
		"\n42\n[oops\n" + `[{"jsonrpc":"2.0","id":2}]` + "\n" + long + "\n" +
		`{"jsonrpc":"2.0","id":3}`
	want := strings.Join([]string{`{"jsonrpc":"2.0","id":1}`, `[{"jsonrpc":"2.0","id":2}]`, long,
		`{"jsonrpc":"2.0","id":3}`, ""}, "\n")
	for name, reader := range map[string]io.Reader{"whole": strings.NewReader(in),
		"halves":            iotest.HalfReader(strings.NewReader(in)),
		"data with the end": iotest.DataErrReader(strings.NewReader(in))} {
		var skipped []string
		got, err := io.ReadAll(newMessageLines(io.NopCloser(reader), func(line string) {
			skipped = append(skipped,
				line)
		}))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if !slices.Equal(skipped, []string{"Server starting…", `{"level":"info","msg":"ready"}`, "42", "[oops"}) {
			t.Errorf("%s: skipped %q", name, skipped)
		}
	}
	_, err := io.ReadAll(newMessageLines(io.NopCloser(strings.NewReader(strings.Repeat("x", maxMessage+1))),
		func(string) {}))
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("an endless line: %v", err)
	}
}

// TS7: a server that talks on its standard output works all the same.
func TestAServerMayTalkOnItsOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("chatty")})
	w.ready("test")
	for range 2 {
		if got := w.call(t.Context(), "mcp__test__echo", tools.Call{},
			map[string]any{"text": "hello"}); got.text() != "you said hello" {
			t.Errorf("echo answered %+v", got)
		}
	}
}

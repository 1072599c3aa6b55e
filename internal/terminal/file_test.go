package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// MD3: a file that is handed over is told by name, size, caption and place, and its name
// controls no terminal.
func TestFilesForThePersonAreShownInATerminal(t *testing.T) {
	t.Parallel()
	show := func(s *script) {
		s.event("tool_call.started", `"tool_call":{"id":"c","function":{"name":"send_file_to_user","arguments":"{}"}}`)
		s.event("tool_call.finished", `"tool_call":{"id":"c","function":{"name":"send_file_to_user","arguments":"{}"},`+
			`"success":true,"result":%q,"files":[{"upload_id":"u1","name":"re\u001b[31mport.pdf","size":2048}]}`,
			`{"success":true,"data":{"path":"out/report.pdf","caption":"the figures"}}`)
	}
	var plain, drawn bytes.Buffer
	lines := NewLines(&plain)
	show(newScript(t, lines.Show))
	screen := NewScreen(&drawn, Options{Size: func() (int, int) { return 120, 24 },
		Now: func() time.Time { return scriptStart }})
	show(newScript(t, screen.Show))
	for what, got := range map[string]string{"lines": plain.String(), "screen": drawn.String()} {
		for _, want := range []string{"port.pdf (2.0 KiB): the figures", "out/report.pdf", "/api/v1/uploads/u1"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s show %q, want %q in it", what, got, want)
			}
		}
		if strings.Contains(got, "\x1b[31mport") {
			t.Errorf("%s let a name control the terminal: %q", what, got)
		}
	}
}

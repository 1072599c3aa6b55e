package config

import (
	"strings"
	"testing"
)

// WS2: the mode is local unless said otherwise, one that does not exist is an
// error, and one that is not built yet is refused instead of replaced in silence.
func TestTheWorkspaceModeIsNeverReplacedInSilence(t *testing.T) {
	t.Parallel()
	if mode := Default().Workspace.Mode; mode != "local" {
		t.Errorf("the default mode is %q", mode)
	}
	if _, _, err := Parse([]byte("workspace: { mode: local }\n"), "config.yml", nil); err != nil {
		t.Errorf("local: %v", err)
	}
	for _, mode := range []string{"remote", "sandbox", "cloud", "[local, sandbox]"} {
		_, _, err := Parse([]byte("workspace: { mode: "+mode+" }\n"), "config.yml", nil)
		if err == nil || !strings.Contains(err.Error(), "workspace.mode") || !strings.Contains(err.Error(),
			"config.yml:1") {
			t.Errorf("mode %s: %v, want an error with line and key", mode, err)
		}
	}
}

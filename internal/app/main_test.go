package app

import (
	"os"
	"testing"

	"nanoclaw/internal/reexec"
)

// TestMain makes the test binary a helper process of the server, or an MCP server that
// asks, where a test starts it as one.
func TestMain(m *testing.M) {
	reexec.Main(Helpers())
	if os.Getenv("NANOCLAW_TEST_MCP") != "" {
		serveAsking()
	}
	os.Exit(m.Run())
}

package shell

import (
	"os"
	"testing"

	"nanoclaw/internal/reexec"
	"nanoclaw/internal/sandbox"
)

// TestMain lets the test binary be its own helper process.
func TestMain(m *testing.M) {
	reexec.Main(sandbox.Helpers())
	os.Exit(m.Run())
}

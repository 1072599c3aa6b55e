package browser

import (
	"os"
	"testing"

	"nanoclaw/internal/reexec"
	"nanoclaw/internal/sandbox"
)

func TestMain(m *testing.M) {
	reexec.Main(sandbox.Helpers())
	code := m.Run()
	service, _ := shared()
	service.Close()
	_ = os.RemoveAll(service.Dir) // it is a temporary one
	os.Exit(code)
}

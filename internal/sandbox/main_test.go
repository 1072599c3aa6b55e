package sandbox_test

import (
	"flag"
	"os"
	"testing"

	"nanoclaw/internal/reexec"
	"nanoclaw/internal/sandbox"
)

// TestMain lets more tests run at the same time than there are processors: most
// of them wait, for an engine or for a limit.
func TestMain(m *testing.M) {
	reexec.Main(sandbox.Helpers())
	flag.Parse()
	if set := flag.Lookup("test.parallel"); set.Value.String() == set.DefValue {
		if err := set.Value.Set("6"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

package remote_test

import (
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/workspacetest"
)

// openStore starts a store of its own.
func openStore(t testing.TB) *remote.Store {
	t.Helper()
	store, err := remote.Open(t.Context(), remote.Options{Dir: t.TempDir(), Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// WS1, WS4: files in JetStream behave as the conformance suite of Filesystem says.
func TestRemoteIsAFilesystem(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
		return store.Files(remote.Namespace{Project: t.Name()}, func() workspace.Limits { return limits })
	})
}

package workspace_test

import (
	"testing"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/workspacetest"
)

// WS1, FS1, FS2, FS6: the local disk behaves as the conformance suite of Filesystem says.
func TestLocalIsAFilesystem(t *testing.T) {
	t.Parallel()
	workspacetest.Run(t, func(t *testing.T, limits workspace.Limits) workspace.Filesystem {
		return workspace.NewLocal(t.TempDir(), func() workspace.Limits { return limits })
	})
}

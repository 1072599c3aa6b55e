package workspace_test

import (
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

// elsewhere is a file system that is not known to be on this machine.
type elsewhere struct{ workspace.Filesystem }

// F9, WS2: files that are uploaded together to files elsewhere are stored all or none.
func TestABatchElsewhereIsStoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	files := elsewhere{workspace.NewLocal(t.TempDir(), func() workspace.Limits {
		return workspace.Limits{MaxTotalSize: 10}
	})}
	upload := func(contents ...string) (*workspace.Batch, error) {
		batch, err := workspace.NewBatch(files, workspace.ConflictFail, workspace.Actor{})
		if err != nil {
			t.Fatal(err)
		}
		defer batch.Close()
		for i := 0; i < len(contents); i += 2 {
			if err := batch.Add(t.Context(), contents[i], strings.NewReader(contents[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		_, err = batch.Commit(t.Context())
		return batch, err
	}
	count := func() int {
		listing, err := files.List(t.Context(), "", workspace.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(listing.Entries)
	}
	if _, err := upload("a", "1234", "b", "1234567890"); !workspace.IsCode(err, workspace.CodeQuotaExceeded) ||
		count() != 0 {
		t.Errorf("a batch that is too large: %v, and %d files are there", err, count())
	}
	if _, err := upload("a", "1", "b", "2"); err != nil || count() != 2 {
		t.Errorf("a batch: %v, and %d files are there", err, count())
	}
	batch, err := upload("c", "3", "b", "other")
	if !workspace.IsCode(err, workspace.CodeAlreadyExists) || count() != 2 || len(batch.Conflicts()) != 1 {
		t.Errorf("a batch with a conflict: %v, and %d files are there", err, count())
	}
}

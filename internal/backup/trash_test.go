package backup

import (
	"path/filepath"
	"testing"

	"nanoclaw/internal/workspace"
)

// CH14, FS7: what was deleted before a backup can be restored behind it.
func TestABackupHoldsTheTrash(t *testing.T) {
	t.Parallel()
	e := newEstate(t).fill("p")
	projectFiles := func(e *estate) *workspace.Local {
		root := e.config.WorkspaceRoot
		return workspace.NewLocal(filepath.Join(root, projectB), nil).WithTrash(filepath.Join(root, workspace.TrashDir,
			projectB))
	}
	e.must(projectFiles(e).Delete(t.Context(), "run.sh", workspace.DeleteOptions{}))
	archive := e.archive()

	other := newEstate(t)
	report, err := Restore(t.Context(), RestoreOptions{File: archive, Config: other.config, ConfigFile: other.file,
		Now: backupTime})
	if err != nil || report.Projects != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	files := projectFiles(other)
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 || page.Items[0].Path != "run.sh" {
		t.Fatalf("the trash holds %+v, %v", page, err)
	}
	if _, err := files.Restore(t.Context(), page.Items[0].ID, ""); err != nil {
		t.Error(err)
	}
	if entry, err := files.Stat(t.Context(), "run.sh"); err != nil || !entry.Executable {
		t.Errorf("%+v, %v", entry, err)
	}
}

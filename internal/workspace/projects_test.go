package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/workspace"
)

const projectID = "0190f3c1-7b1e-7cc0-8a55-0123456789ab"

func newProjects(t *testing.T, settings workspace.Settings,
	locations map[string]workspace.Location) *workspace.Projects {
	t.Helper()
	projects, err := workspace.NewProjects(settings, func(_ context.Context, id string) (workspace.Location, error) {
		location, ok := locations[id]
		if !ok {
			return location, errors.New("no such project")
		}
		return location, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return projects
}

func TestAProjectWithoutAPathHasADirectoryOfItsOwn(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	settings := workspace.Settings{Root: filepath.Join(base, "ws"), DataDir: filepath.Join(base, "data")}
	projects := newProjects(t, settings, map[string]workspace.Location{projectID: {}, "../evil": {}, "": {},
		".hidden": {}})
	files, err := projects.Open(t.Context(), projectID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(t.Context(), "f", []byte("x"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(base, "ws", projectID, "f")); err != nil {
		t.Error(err)
	}
	if again, err := projects.Open(t.Context(), projectID); err != nil || again != files {
		t.Errorf("opened again it is another one: %v", err)
	}
	for _, id := range []string{"../evil", "", ".hidden"} {
		if _, err := projects.Open(t.Context(), id); codeOf(err) != workspace.CodeInvalidArgument {
			t.Errorf("open %q ended with %v", id, err)
		}
	}
	if _, err := projects.Open(t.Context(), "unknown"); err == nil || err.Error() != "no such project" {
		t.Errorf("an unknown project ended with %v", err)
	}
	if err := projects.Remove(projectID, workspace.Location{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(base, "ws", projectID)); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
	if err := projects.Remove(projectID, workspace.Location{}); err != nil {
		t.Errorf("removing it twice: %v", err)
	}
}

func TestAProjectsDirectoryIsNotALink(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	write(t, filepath.Join(base, "elsewhere/f"), secret)
	settings := workspace.Settings{Root: filepath.Join(base, "ws"), DataDir: filepath.Join(base, "data")}
	if err := os.Mkdir(settings.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "../elsewhere", filepath.Join(settings.Root, projectID))
	projects := newProjects(t, settings, map[string]workspace.Location{projectID: {}})
	if _, err := projects.Open(t.Context(), projectID); codeOf(err) != workspace.CodeAccessDenied {
		t.Errorf("open ended with %v", err)
	}
	if err := projects.Remove(projectID, workspace.Location{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(base, "elsewhere/f")); err != nil {
		t.Errorf("removing the project took what the link led to: %v", err)
	}
}

func TestAPathMustBeUnderAnAllowedRootAndApartFromTheServersData(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(rel string) string { return filepath.Join(base, rel) }
	for _, dir := range []string{"code/app", "code/data/inner", "code/ws/other", "private", "code2"} {
		if err := os.MkdirAll(in(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, in("code/file"), "x")
	link(t, "../private", in("code/link-out"))
	link(t, "app", in("code/link-in"))
	projects := newProjects(t, workspace.Settings{Root: in("code/ws"), DataDir: in("code/data"),
		AllowedRoots: []string{in("code")}}, nil)

	for path, want := range map[string]workspace.Code{
		in("code/app"):               "",
		in("code/link-in"):           "",
		in("code/./app/"):            "",
		in("private"):                workspace.CodeAccessDenied,
		in("code2"):                  workspace.CodeAccessDenied,
		in("code/link-out"):          workspace.CodeAccessDenied,
		in("code/app/../../private"): workspace.CodeAccessDenied,
		in("code"):                   workspace.CodeAccessDenied, // holds the data
		in("code/data"):              workspace.CodeAccessDenied,
		in("code/data/inner"):        workspace.CodeAccessDenied,
		in("code/ws/other"):          workspace.CodeAccessDenied,
		"/":                          workspace.CodeAccessDenied,
		in("code/missing"):           workspace.CodeNotFound,
		in("code/file"):              workspace.CodeNotADirectory,
		"code/app":                   workspace.CodeInvalidArgument,
		"":                           workspace.CodeInvalidArgument,
	} {
		resolved, err := projects.CheckPath(path)
		if codeOf(err) != want || (want == "" && (err != nil || resolved != in("code/app"))) {
			t.Errorf("%q is %q, %v; want code %q", path, resolved, err, want)
		}
	}
}

func TestAProjectWithAPathIsCheckedEveryTimeAndNeverRemoved(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(base, "code", "app")
	write(t, filepath.Join(mine, "f"), "x")
	settings := workspace.Settings{Root: filepath.Join(base, "ws"), DataDir: filepath.Join(base, "data"),
		AllowedRoots: []string{filepath.Join(base, "code")}}
	location := workspace.Location{Path: mine}
	projects := newProjects(t, settings, map[string]workspace.Location{projectID: location})
	if _, err := projects.Open(t.Context(), projectID); err != nil {
		t.Fatal(err)
	}
	if err := projects.Remove(projectID, location); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(mine, "f")); err != nil {
		t.Fatalf("the user's files are gone: %v", err)
	}

	settings.AllowedRoots = nil
	if err := projects.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if _, err := projects.Open(t.Context(), projectID); codeOf(err) != workspace.CodeAccessDenied {
		t.Errorf("after the root was taken from the configuration: %v", err)
	}
}

func TestNewLimitsHoldForProjectsThatAreOpen(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	settings := workspace.Settings{Root: filepath.Join(base, "ws"), DataDir: filepath.Join(base, "data")}
	projects := newProjects(t, settings, map[string]workspace.Location{projectID: {}})
	files, err := projects.Open(t.Context(), projectID)
	if err != nil {
		t.Fatal(err)
	}
	settings.Limits.MaxFileSize = 3
	if err := projects.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(t.Context(), "f", []byte("1234"),
		workspace.WriteOptions{}); codeOf(err) != workspace.CodeTooLarge {
		t.Errorf("write ended with %v", err)
	}
	settings.Limits.DeniedNames = []string{"[broken"}
	if err := projects.Configure(settings); err == nil {
		t.Error("a broken glob was accepted")
	}
}

package skills

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

type projects map[string]workspace.Filesystem

func (p projects) Open(_ context.Context, id string) (workspace.Filesystem, error) { return p[id], nil }

// newService has an installation with the skill deploy and a project with these files.
func newService(t testing.TB, files map[string]string) (*Service, map[string]bool) {
	t.Helper()
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("server/deploy/SKILL.md", skillText("deploy", "Put it into production"))
	put("server/deploy/references/more.md", "more of it")
	put("outside.txt", "OUTSIDE")
	for name, text := range files {
		put("project/"+name, text)
	}
	limits := func() workspace.Limits { return workspace.Limits{DeniedNames: []string{"*.pem"}} }
	switches := map[string]bool{}
	return New(Options{
		Server: workspace.NewLocal(filepath.Join(root, "server"), limits),
		User: func(id string, write bool) (workspace.Filesystem, error) {
			at := filepath.Join(root, "users", id)
			if write {
				return workspace.NewLocal(at, limits), os.MkdirAll(at, 0o700)
			}
			return workspace.NewLocal(at, limits), nil
		},
		Projects: projects{"p": workspace.NewLocal(filepath.Join(root, "project"), limits)},
		Limits:   func() Limits { return Limits{FileSize: 1000, Count: 5, ListingSize: 150} },
		Enabled:  func() bool { return true },
		Switches: func(context.Context, Place) (map[string]bool, error) { return switches, nil },
	}), switches
}

func skillText(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nHow to " + name + ".\n"
}

var inProject = Place{UserID: "u", ProjectID: "p"}

// SK1: names and descriptions are in the prompt, the rest is read when it is needed.
func TestOnlyNamesAndDescriptionsAreInThePrompt(t *testing.T) {
	t.Parallel()
	s, switches := newService(t, map[string]string{
		"skills/review/SKILL.md":    skillText("review", "Look at a change"),
		"skills/review/check.py":    "print(1)",
		"skills/review/key.pem":     "KEY",
		"skills/notes.txt":          "x",
		"skills/empty/readme.md":    "x",
		"skills/.hidden/SKILL.md":   skillText("hidden", "x"),
		"skills/wrong/SKILL.md":     "no front matter",
		"skills/large/SKILL.md":     skillText("large", strings.Repeat("x", 1000)),
		"skills/talkative/SKILL.md": skillText("talkative", strings.Repeat("many words ", 50)),
	})
	listing, err := s.Listing(t.Context(), inProject)
	if err != nil || !strings.Contains(listing, "\n- deploy (server): Put it into production\n") ||
		!strings.Contains(listing, "\n- review (project): Look at a change\n- talkative (project)\n") ||
		strings.Contains(listing, "How to") || strings.Contains(listing, "large") {
		t.Errorf("%s, %v", listing, err)
	}
	list, err := s.List(t.Context(), inProject)
	if err != nil {
		t.Fatal(err)
	}
	problems := map[string]string{}
	for _, skill := range list {
		if skill.Problem != "" {
			problems[skill.Name] = skill.Problem
		}
	}
	for name, want := range map[string]string{"wrong": "front matter", "large": "skills.max_size"} {
		if !strings.Contains(problems[name], want) {
			t.Errorf("%s: %q, want %q", name, problems[name], want)
		}
	}
	if len(problems) != 2 || len(list) != 5 {
		t.Errorf("%d skills, problems %v", len(list), problems)
	}

	call := tools.Call{UserID: "u", ProjectID: "p"}
	text, err := s.Read(t.Context(), call, "review", "")
	if err != nil || text.Content != "How to review." || text.Root != "skills/review" || len(text.Files) != 2 {
		t.Errorf("%+v, %v", text, err)
	}
	if text, err = s.Read(t.Context(), call, "deploy", "references/more.md"); err != nil || text.Content != "more of it" ||
		text.Level != "server" ||
		text.Root != "" {
		t.Errorf("%+v, %v", text, err)
	}

	switches["review"] = false
	if names, err := s.Names(t.Context(), call); err != nil || strings.Join(names, " ") != "deploy talkative" {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := s.Read(t.Context(), call, "review", ""); tools.CodeOf(err) != "not_found" {
		t.Errorf("a skill that is off is read: %v", err)
	}
	if listing, err := s.Listing(t.Context(), Place{UserID: "u"}); err != nil ||
		strings.Contains(listing, "talkative") {
		t.Errorf("without a project: %s, %v", listing, err)
	}
}

// SK1, WS0: a skill's files are those in its directory, under the limits of files.
func TestASkillCannotReadWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, map[string]string{
		"skills/review/SKILL.md": skillText("review", "x"), "skills/review/key.pem": "KEY",
		"skills/review/large.md": strings.Repeat(
			"x",
			2000,
		), "skills/review/picture": "\xff\xd8", "secret.txt": "SECRET",
	})
	project := s.Projects.(projects)["p"].(*workspace.Local).Dir()
	for _, link := range [][2]string{{"../../secret.txt", "in"}, {"../../../outside.txt", "out"}} {
		if err := os.Symlink(link[0], filepath.Join(project, "skills/review", link[1])); err != nil {
			t.Fatal(err)
		}
	}
	for path, code := range map[string]string{
		"../../secret.txt": "access_denied", "..": "access_denied", "/etc/passwd": "access_denied",
		`..\..\secret.txt`: "access_denied", "references/../../../secret.txt": "access_denied", "out": "access_denied",
		"key.pem": "access_denied", "large.md": "too_large", "picture": "invalid_arguments", "missing.md": "not_found",
	} {
		text, err := s.Read(t.Context(), tools.Call{UserID: "u", ProjectID: "p"}, "review", path)
		if tools.CodeOf(err) != code || strings.Contains(text.Content, "SECRET") {
			t.Errorf("%s: %+v, %v, want %s", path, text, err, code)
		}
	}
}

func TestMoreSkillsThanAllowedAreNotUsed(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range strings.Fields("a b c d e f g") {
		files["skills/"+name+"/SKILL.md"] = skillText(name, "x")
	}
	s, _ := newService(t, files)
	names, err := s.Names(t.Context(), tools.Call{UserID: "u", ProjectID: "p"})
	if err != nil || strings.Join(names, " ") != "a b c d deploy e" {
		t.Errorf("%v, %v", names, err)
	}
	detail, err := s.Find(t.Context(), inProject, "g")
	if err != nil || !strings.Contains(detail.Problem, "skills.max_count") || detail.Text != "" {
		t.Errorf("%+v, %v", detail, err)
	}
	if _, err := s.Find(t.Context(), inProject, "nobody"); tools.CodeOf(err) != "not_found" {
		t.Errorf("%v", err)
	}
}

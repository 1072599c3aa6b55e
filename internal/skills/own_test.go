package skills

import (
	"strings"
	"testing"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// SK1: of skills with one name the nearest is used: the project's before the user's, that
// before the installation's; the others say why they are not.
func TestNearestSkillOfANameIsUsed(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, map[string]string{"skills/deploy/SKILL.md": skillText("deploy", "of the project")})
	if err := s.Save(t.Context(), "u", "deploy", skillText("deploy", "of the user")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		place       Place
		description string
		unused      int
	}{
		{inProject, "of the project", 2},
		{Place{UserID: "u"}, "of the user", 1},
		{Place{UserID: "other"}, "Put it into production", 0},
	} {
		list, err := s.List(t.Context(), want.place)
		if err != nil {
			t.Fatal(err)
		}
		unused := 0
		for _, skill := range list {
			if strings.Contains(skill.Problem, "has a skill of this name, which is used") {
				unused++
			} else if skill.Description != want.description || !skill.Enabled {
				t.Errorf("%+v: used is %+v", want.place, skill)
			}
		}
		read, err := s.Read(t.Context(), tools.Call{UserID: want.place.UserID, ProjectID: want.place.ProjectID},
			"deploy", "")
		if err != nil || unused != want.unused || len(list) != want.unused+1 {
			t.Errorf("%+v: %d skills, %d not used, read %+v, %v", want.place, len(list), unused, read, err)
		}
	}
	if err := s.Delete(t.Context(), "u", "deploy"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(t.Context(), Place{UserID: "u"}); err != nil || len(list) != 1 || list[0].Level != Server {
		t.Errorf("after it was deleted there is %+v, %v", list, err)
	}
	if err := s.Delete(t.Context(), "u", "deploy"); !workspace.IsCode(err, workspace.CodeNotFound) {
		t.Errorf("deleting it again is %v", err)
	}
}

// SK1: what is not a skill, or one too many, is not written, and no name leads elsewhere.
func TestWhatIsNotASkillIsNotSaved(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, nil)
	for name, text := range map[string]string{
		"none":     "no front matter",
		"other":    skillText("another", "x"),
		"../other": skillText("../other", "x"),
		"large":    skillText("large", "x") + strings.Repeat("x", 2000),
		"":         skillText("", "x"),
	} {
		if err := s.Save(t.Context(), "u", name, text); !workspace.IsCode(err, workspace.CodeInvalidArgument) {
			t.Errorf("saving %q is %v", name, err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "e"} {
		if err := s.Save(t.Context(), "u", name, skillText(name, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Save(t.Context(), "u", "f", skillText("f", "x")); !workspace.IsCode(err, workspace.CodeQuotaExceeded) {
		t.Errorf("one too many is %v", err)
	}
	if err := s.Delete(t.Context(), "u", "../../server/deploy"); !workspace.IsCode(err, workspace.CodeNotFound) {
		t.Errorf("deleting elsewhere is %v", err)
	}
}

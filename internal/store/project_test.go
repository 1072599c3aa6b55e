package store

import (
	"reflect"
	"testing"

	"nanoclaw/internal/models"
)

func TestAProjectChangesUnderItsVersion(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		project := models.Project{UserID: "u", Name: "old", Instructions: "be brief", Path: "/p"}
		must(t, s.CreateProject(t.Context(), &project))
		rename := func(p *models.Project) error {
			p.Name, p.Instructions, p.UserID = "new", "", "x"
			return nil
		}
		got, err := s.UpdateProject(t.Context(), "u", project.ID, 1, rename)
		must(t, err)
		stored, err := s.GetProject(t.Context(), "u", project.ID)
		must(t, err)
		if !reflect.DeepEqual(*got, *stored) || stored.Name != "new" || stored.Instructions != "" ||
			stored.Path != "/p" ||
			stored.Version != 2 {
			t.Errorf("after the change it is %+v", *stored)
		}
		_, err = s.UpdateProject(t.Context(), "u", project.ID, 1, rename)
		wantCode(t, err, CodePreconditionFailed)
		wantCode(t, s.DeleteProject(t.Context(), "u", project.ID, 1), CodePreconditionFailed)
	})
}

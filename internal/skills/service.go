package skills

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// ProjectFolder is where the skills of a project are.
const ProjectFolder = "skills"

// Options are what a Service is made of; all are needed.
type Options struct {
	// Server are the files of the installation's folder.
	Server workspace.Filesystem
	// User are the files of a user's own folder, which write makes where it is missing.
	User     func(userID string, write bool) (workspace.Filesystem, error)
	Projects workspace.Opener
	Limits   func() Limits
	// Enabled says whether skills are used at all.
	Enabled func() bool
	// Switches says which skills people have switched off (false) or on, by name.
	Switches func(ctx context.Context, place Place) (map[string]bool, error)
}

// Place is where skills are used. All but UserID may be empty.
type Place struct {
	UserID, ConversationID, ProjectID string
	AgentID                           string // profile of the conversation
}

// Service finds skills. It is safe for concurrent use.
type Service struct{ Options }

var _ tools.Skills = (*Service)(nil)

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// folders are where the skills of a place are; the first that has a name has it.
func (s *Service) folders(ctx context.Context, place Place) ([]Folder, error) {
	var folders []Folder
	if place.ProjectID != "" {
		files, err := s.Projects.Open(ctx, place.ProjectID)
		if err != nil {
			return nil, err
		}
		folders = append(folders, Folder{Level: Project, Files: files, Dir: ProjectFolder})
	}
	own, err := s.User(place.UserID, false)
	if err != nil {
		return nil, err
	}
	return append(folders, Folder{Level: User, Files: own, Dir: "."},
		Folder{Level: Server, Files: s.Server, Dir: "."}), nil
}

// List are all the skills of a place, by level and name, also those that are not used.
func (s *Service) List(ctx context.Context, place Place) ([]Skill, error) {
	if !s.Enabled() {
		return []Skill{}, nil
	}
	folders, err := s.folders(ctx, place)
	if err != nil {
		return nil, err
	}
	all, taken := []Skill{}, map[string]Level{}
	for _, folder := range folders {
		list, err := folder.list(ctx, s.Limits())
		if err != nil {
			return nil, err
		}
		for _, skill := range list {
			if nearer := taken[skill.Name]; skill.Problem == "" && nearer != "" {
				skill.Problem = fmt.Sprintf("the %s has a skill of this name, which is used", nearer)
			} else if skill.Problem == "" {
				taken[skill.Name] = skill.Level
			}
			all = append(all, skill)
		}
	}
	if len(all) == 0 {
		return all, nil
	}
	switches, err := s.Switches(ctx, place)
	if err != nil {
		return nil, err
	}
	for i := range all {
		on, set := switches[all[i].Name]
		all[i].Enabled = all[i].Problem == "" && (on || !set)
	}
	return all, nil
}

// Detail is a skill with what is in it.
type Detail struct {
	Skill
	Text  string // of SKILL.md, behind the front matter; empty where the skill has a problem
	Files []File // beside SKILL.md
}

// Find is the skill of a name: the one that is used, else the first that has a
// problem. The error is not_found where there is none.
func (s *Service) Find(ctx context.Context, place Place, name string) (*Detail, error) {
	list, err := s.List(ctx, place)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(skill Skill) bool { return skill.Name == name && skill.Problem == "" })
	if at < 0 {
		at = slices.IndexFunc(list, func(skill Skill) bool { return skill.Name == name })
	}
	if at < 0 {
		return nil, workspace.Errorf(workspace.CodeNotFound, shortened(name), "there is no such skill")
	}
	folder, err := s.folderOf(ctx, place, list[at].Level)
	if err != nil {
		return nil, err
	}
	detail := &Detail{Skill: list[at]}
	if detail.Files, err = folder.files(ctx, &detail.Skill); err != nil {
		return nil, err
	}
	if detail.Problem == "" {
		_, detail.Text, err = folder.read(ctx, &detail.Skill, s.Limits())
	}
	return detail, err
}

func (s *Service) folderOf(ctx context.Context, place Place, level Level) (Folder, error) {
	folders, err := s.folders(ctx, place)
	if err != nil {
		return Folder{}, err
	}
	return folders[slices.IndexFunc(folders, func(f Folder) bool { return f.Level == level })], nil
}

// usable are the skills of a place that an agent may read.
func (s *Service) usable(ctx context.Context, place Place) (map[string]Skill, error) {
	list, err := s.List(ctx, place)
	byName := map[string]Skill{}
	for _, skill := range list {
		if skill.Enabled {
			byName[skill.Name] = skill
		}
	}
	return byName, err
}

func placeOf(call tools.Call) Place {
	return Place{UserID: call.UserID, ConversationID: call.ConversationID, ProjectID: call.ProjectID}
}

// Names implements tools.Skills.
func (s *Service) Names(ctx context.Context, call tools.Call) ([]string, error) {
	usable, err := s.usable(ctx, placeOf(call))
	return slices.Sorted(maps.Keys(usable)), err
}

// Read implements tools.Skills.
func (s *Service) Read(ctx context.Context, call tools.Call, name, path string) (tools.SkillText, error) {
	usable, err := s.usable(ctx, placeOf(call))
	if err != nil {
		return tools.SkillText{}, err
	}
	skill, found := usable[name]
	if !found {
		return tools.SkillText{}, tools.Errorf("not_found", "there is no skill %q; there are: %s", shortened(name),
			strings.Join(slices.Sorted(maps.Keys(usable)), ", "))
	}
	folder, err := s.folderOf(ctx, placeOf(call), skill.Level)
	if err != nil {
		return tools.SkillText{}, err
	}
	text := tools.SkillText{Name: name, Level: string(skill.Level), Path: path}
	if skill.Level == Project {
		text.Root = skill.Path
	}
	if path != "" && path != FileName {
		text.Content, err = folder.readFile(ctx, &skill, path, s.Limits())
		return text, err
	}
	text.Path = FileName
	if _, text.Content, err = folder.read(ctx, &skill, s.Limits()); err != nil {
		return tools.SkillText{}, err
	}
	files, err := folder.files(ctx, &skill)
	for _, file := range files {
		text.Files = append(text.Files, tools.SkillFile{Path: file.Path, Size: file.Size})
	}
	return text, err
}

// Listing is what a prompt says of the skills of a place; empty: there is none.
func (s *Service) Listing(ctx context.Context, place Place) (string, error) {
	usable, err := s.usable(ctx, place)
	if err != nil || len(usable) == 0 {
		return "", err
	}
	var text strings.Builder
	text.WriteString(
		"# Skills\nInstructions for kinds of tasks. When one fits what you are asked to do, read it with " +
			"read_skill before you begin, and follow it as far as the user's request allows.\n",
	)
	room := s.Limits().ListingSize
	for _, name := range slices.Sorted(maps.Keys(usable)) {
		line := fmt.Sprintf("- %s (%s): %s\n", name, usable[name].Level, usable[name].Description)
		if room -= len(line); room < 0 {
			line = fmt.Sprintf("- %s (%s)\n", name, usable[name].Level)
		}
		text.WriteString(line)
	}
	return text.String(), nil
}

package api

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/skills"
	"nanoclaw/internal/workspace"
)

// Skill is a directory with instructions for a kind of task.
type Skill struct {
	Name          string            `json:"name"`
	Description   string            `json:"description"`
	Level         string            `json:"level" enum:"project,user,server" doc:"project: of the project's folder skills. user: your own. server: of the installation (skills.dir). Of skills with one name the nearest is used, in this order."`
	Path          string            `json:"path" doc:"Of its directory: in the project, or in its folder."`
	Enabled       bool              `json:"enabled" doc:"Agents are told of it and may read it."`
	Problem       string            `json:"problem,omitempty" doc:"Why it cannot be used, whatever the switches say."`
	Size          int64             `json:"size" doc:"Of SKILL.md, in bytes."`
	License       string            `json:"license,omitempty"`
	Compatibility string            `json:"compatibility,omitempty"`
	AllowedTools  []string          `json:"allowed_tools,omitempty" doc:"What its author wishes. It permits nothing."`
	Metadata      map[string]string `json:"metadata,omitempty"`
}

// SkillDetail is a skill with its instructions.
type SkillDetail struct {
	Skill
	Text  string          `json:"text" doc:"The instructions; empty where there is a problem."`
	Files []SkillFileInfo `json:"files" doc:"In its directory, beside SKILL.md."`
}

// SkillFileInfo is a file of a skill.
type SkillFileInfo struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

func viewSkill(s skills.Skill) Skill {
	return Skill{Name: s.Name, Description: s.Description, Level: string(s.Level), Path: s.Path, Enabled: s.Enabled,
		Problem: s.Problem, Size: s.Size, License: s.License, Compatibility: s.Compatibility,
		AllowedTools: s.AllowedTools, Metadata: s.Metadata}
}

// SkillPath names a skill in the path of a request.
type SkillPath struct {
	PathID
	Name string `path:"name" maxLength:"200" doc:"The skill's name."`
}

type switchSkillInput struct {
	SkillPath
	Body struct {
		Enabled Optional[bool] `json:"enabled" doc:"null: as if nobody had said anything; of a conversation, as its project says."`
	}
}

type skillOutput struct{ Body *SkillDetail }

func (s *server) registerSkills() {
	const tag = "Skills"
	handle(s, op("GET", "/skills", "list-skills", tag, "Your own skills and those of the installation"), s.listOwnSkills)
	handle(s, op("GET", "/skills/{name}", "get-skill", tag, "One of them with its instructions"), s.getOwnSkill)
	handle(s, op("PUT", "/skills/{name}", "save-skill", tag, "Write a skill of your own",
		describe("It is used in all your conversations. 422 invalid_arguments where it is not a skill.")), s.saveSkill)
	handle(s, op("DELETE", "/skills/{name}", "delete-skill", tag, "Delete a skill of your own"), s.deleteSkill)
	handle(
		s,
		op("GET", "/projects/{id}/skills", "list-project-skills", tag, "Skills of a project, of yours and of the installation",
			describe("Also those that are switched off or have a problem.")),
		s.listProjectSkills,
	)
	handle(s, op("GET", "/projects/{id}/skills/{name}", "get-project-skill", tag, "A skill with its instructions"),
		s.getProjectSkill)
	handle(s, op("PATCH", "/projects/{id}/skills/{name}", "switch-project-skill", tag,
		"Switch a skill on or off in a project"), s.switchProjectSkill)
	handle(s, op("GET", "/conversations/{id}/skills", "list-conversation-skills", tag, "Skills of a conversation",
		describe("A conversation without a project has yours and those of the installation.")), s.listConversationSkills)
	handle(s, op("PATCH", "/conversations/{id}/skills/{name}", "switch-conversation-skill", tag,
		"Switch a skill on or off in a conversation", describe("It holds before what the project says, from the next "+
			"turn on; a skill that is switched off cannot be read from then on.")), s.switchConversationSkill)
}

func (s *server) projectPlace(ctx context.Context, id string) (skills.Place, error) {
	project, err := s.Store.GetProject(ctx, currentUser(ctx), id)
	if err != nil {
		return skills.Place{}, err
	}
	return skills.Place{UserID: project.UserID, ProjectID: project.ID}, nil
}

func (s *server) conversationPlace(ctx context.Context, id string) (skills.Place, error) {
	conversation, err := s.Store.GetConversation(ctx, currentUser(ctx), id)
	if err != nil {
		return skills.Place{}, err
	}
	return skills.Place{UserID: conversation.UserID, ConversationID: id, ProjectID: conversation.ProjectID,
		AgentID: conversation.Agent}, nil
}

// accessOf is on whose behalf the files of a place are opened.
func accessOf(ctx context.Context, place skills.Place) context.Context {
	access := workspace.AccessOf(ctx)
	access.ConversationID, access.ProjectID = place.ConversationID, place.ProjectID
	if place.ConversationID != "" {
		access.AgentID = cmp.Or(place.AgentID, runs.DefaultAgent)
	}
	return workspace.WithAccess(ctx, access)
}

func (s *server) listSkills(ctx context.Context, place skills.Place, err error) (*listOutput[Skill], error) {
	if err != nil {
		return nil, err
	}
	list, err := s.Skills.List(accessOf(ctx, place), place)
	if err != nil {
		return nil, err
	}
	items := make([]Skill, len(list))
	for i, skill := range list {
		items[i] = viewSkill(skill)
	}
	return &listOutput[Skill]{wholeList(items)}, nil
}

// SkillName names a skill in the path of a request.
type SkillName struct {
	Name string `path:"name" maxLength:"200" doc:"The skill's name."`
}

type saveSkillInput struct {
	SkillName
	Body struct {
		Text string `json:"text" minLength:"1" doc:"The whole SKILL.md, with its front matter; its name is that of the path."`
	}
}

func (s *server) listOwnSkills(ctx context.Context, _ *struct{}) (*listOutput[Skill], error) {
	return s.listSkills(ctx, skills.Place{UserID: currentUser(ctx)}, nil)
}

func (s *server) getOwnSkill(ctx context.Context, in *SkillName) (*skillOutput, error) {
	return s.skillOutput(ctx, skills.Place{UserID: currentUser(ctx)}, in.Name)
}

func (s *server) saveSkill(ctx context.Context, in *saveSkillInput) (*skillOutput, error) {
	if err := s.Skills.Save(ctx, currentUser(ctx), in.Name, in.Body.Text); err != nil {
		return nil, err
	}
	return s.getOwnSkill(ctx, &in.SkillName)
}

func (s *server) deleteSkill(ctx context.Context, in *SkillName) (*struct{}, error) {
	return nil, s.Skills.Delete(ctx, currentUser(ctx), in.Name)
}

func (s *server) listProjectSkills(ctx context.Context, in *PathID) (*listOutput[Skill], error) {
	place, err := s.projectPlace(ctx, in.ID)
	return s.listSkills(ctx, place, err)
}

func (s *server) listConversationSkills(ctx context.Context, in *PathID) (*listOutput[Skill], error) {
	place, err := s.conversationPlace(ctx, in.ID)
	return s.listSkills(ctx, place, err)
}

func (s *server) getProjectSkill(ctx context.Context, in *SkillPath) (*skillOutput, error) {
	place, err := s.projectPlace(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.skillOutput(ctx, place, in.Name)
}

func (s *server) skillOutput(ctx context.Context, place skills.Place, name string) (*skillOutput, error) {
	found, err := s.Skills.Find(accessOf(ctx, place), place, name)
	if err != nil {
		return nil, err
	}
	detail := &SkillDetail{Skill: viewSkill(found.Skill), Text: found.Text, Files: []SkillFileInfo{}}
	for _, file := range found.Files {
		detail.Files = append(detail.Files, SkillFileInfo{Path: file.Path, Size: file.Size})
	}
	return &skillOutput{detail}, nil
}

// switcher is what switches a skill. One that is gone can only lose its switch.
func (s *server) switcher(ctx context.Context, place skills.Place,
	in *switchSkillInput) (func(models.Switches) (models.Switches, error), error) {
	_, missing := s.Skills.Find(accessOf(ctx, place), place, in.Name)
	var own *workspace.Error
	if missing != nil && (!errors.As(missing, &own) || own.Code != workspace.CodeNotFound) {
		return nil, missing
	}
	return func(switches models.Switches) (models.Switches, error) {
		if _, stored := switches[in.Name]; missing != nil && !(stored && in.Body.Enabled.Null) {
			return nil, missing
		}
		next := models.Switches{}
		maps.Copy(next, switches)
		next[in.Name] = in.Body.Enabled.Value
		if in.Body.Enabled.Null {
			delete(next, in.Name)
		}
		return next, nil
	}, nil
}

func (s *server) switchProjectSkill(ctx context.Context, in *switchSkillInput) (*listOutput[Skill], error) {
	place, err := s.projectPlace(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	switchIn, err := s.switcher(ctx, place, in)
	if err != nil {
		return nil, err
	}
	_, err = s.Store.UpdateProject(ctx, currentUser(ctx), in.ID, 0, func(p *models.Project) (err error) {
		p.Skills, err = switchIn(p.Skills)
		return err
	})
	return s.listSkills(ctx, place, err)
}

func (s *server) switchConversationSkill(ctx context.Context, in *switchSkillInput) (*listOutput[Skill], error) {
	place, err := s.conversationPlace(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	switchIn, err := s.switcher(ctx, place, in)
	if err != nil {
		return nil, err
	}
	conversation, err := s.Store.UpdateConversation(ctx, currentUser(ctx), in.ID, 0,
		func(c *models.Conversation) (err error) {
			c.Skills, err = switchIn(c.Skills)
			return err
		})
	if err == nil {
		var active string
		if active, err = s.activeRun(ctx, in.ID); err == nil {
			s.Runs.TellConversation(ctx, conversation.UserID, runs.ViewConversation(conversation, active))
		}
	}
	return s.listSkills(ctx, place, err)
}

package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"nanoclaw/internal/config"
	"nanoclaw/internal/memory"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/services"
	"nanoclaw/internal/skills"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// newSkills finds the skills of the installation and of projects. Tools find it
// through the locator.
func (a *App) newSkills(c *config.Config, l *services.Locator) (*skills.Service, error) {
	dir, err := filepath.Abs(c.SkillsDir())
	if err != nil {
		return nil, fmt.Errorf("find the directory of skills: %w", err)
	}
	own, err := filepath.Abs(filepath.Join(c.DataDir, "user-skills"))
	if err != nil {
		return nil, fmt.Errorf("find the directory of users' skills: %w", err)
	}
	limits := func() workspace.Limits { return workspace.LimitsFrom(a.Live.Current().Workspace) }
	s := skills.New(skills.Options{
		Server: workspace.NewLocal(dir, limits),
		User: func(userID string, write bool) (workspace.Filesystem, error) {
			if userID == "" || !filepath.IsLocal(userID) || filepath.Base(userID) != userID {
				return nil, fmt.Errorf("the user id %q cannot name a directory", userID)
			}
			at := filepath.Join(own, userID)
			if !write {
				return workspace.NewLocal(at, limits), nil
			}
			return workspace.NewLocal(at, limits), os.MkdirAll(at, 0o700)
		},
		Projects: a.Projects, Switches: a.skillSwitches,
		Enabled: func() bool { return a.Live.Current().Skills.Enabled },
		Limits: func() skills.Limits {
			c := a.Live.Current().Skills
			return skills.Limits{
				FileSize:    c.MaxSize.Bytes(),
				Count:       c.MaxCount,
				ListingSize: int(c.ListingSize.Bytes()),
			}
		},
	})
	services.Register[tools.Skills](l, tools.SkillsKey, s)
	return s, nil
}

// skillSwitches are those of a project, and before them those of a conversation.
func (a *App) skillSwitches(ctx context.Context, place skills.Place) (map[string]bool, error) {
	switches := map[string]bool{}
	if place.ProjectID != "" {
		project, err := a.Store.GetProject(ctx, place.UserID, place.ProjectID)
		if err != nil {
			return nil, err
		}
		maps.Copy(switches, project.Skills)
	}
	if place.ConversationID != "" {
		conversation, err := a.Store.GetConversation(ctx, place.UserID, place.ConversationID)
		if err != nil {
			return nil, err
		}
		maps.Copy(switches, conversation.Skills)
	}
	return switches, nil
}

// memoryLimits are those of the configuration in force.
func (a *App) memoryLimits() memory.Limits {
	c := a.Live.Current().Memory
	return memory.Limits{Instructions: c.InstructionsMax.Bytes(), Notes: c.MaxSize.Bytes(), Files: c.MaxFiles}
}

// knowledge is what files say to a run, with secrets redacted.
func (a *App) knowledge(ctx context.Context, run *models.Run, offered []string) ([]string, error) {
	sections, err := a.projectFiles(ctx, run, offered)
	if slices.Contains(offered, "read_skill") {
		listing, failed := a.Skills.Listing(ctx, skills.Place{UserID: run.Actor(), ConversationID: run.HomeConversation(),
			ProjectID: run.ProjectID})
		sections, err = append(sections, listing), errors.Join(err, failed)
	}
	for i := range sections {
		sections[i] = a.Redactor.String(sections[i])
	}
	return sections, err
}

// projectFiles is what AGENTS.md, MEMORY.md and memory/ of a run's project say.
func (a *App) projectFiles(ctx context.Context, run *models.Run, offered []string) ([]string, error) {
	if run.ProjectID == "" {
		return nil, nil
	}
	files, err := a.Projects.Open(ctx, run.ProjectID)
	if err != nil {
		return nil, err
	}
	instructions, err := memory.Instructions(ctx, files, a.memoryLimits())
	sections := []string{instructions.Section()}
	project, failed := a.Store.GetProject(ctx, run.UserID, run.ProjectID)
	if failed != nil || project.MemoryOff || !a.Live.Current().Memory.Enabled {
		return sections, errors.Join(err, failed)
	}
	notes, failed := memory.ReadNotes(ctx, files, a.memoryLimits())
	if failed != nil {
		return sections, errors.Join(err, failed)
	}
	// sub-agents do one task for an agent that remembers
	writable := run.AgentPath == runs.RootPath && slices.Contains(offered, "file_write") &&
		slices.Contains(offered, "file_edit")
	return append(sections, notes.Section(writable)), err
}

// keepFile puts a file into a project unless there is one of that path.
func (a *App) keepFile(ctx context.Context, projectID, path string, data []byte) error {
	files, err := a.Projects.Open(ctx, projectID)
	if err != nil {
		return err
	}
	_, err = files.Write(ctx, path, data, workspace.WriteOptions{IfNoneMatch: true})
	var own *workspace.Error
	if errors.As(err, &own) && own.Code == workspace.CodeAlreadyExists {
		return nil
	}
	return err
}

package runs

import (
	"context"
	"strings"

	"nanoclaw/internal/models"
)

const defaultPrompt = `You are a capable assistant that works with tools. Use them where they help: call several at once when they do not depend on each other, and look at results before you go on. Say plainly when something failed or cannot be done. Answer in the user's language.`

const childPromptText = `You are a sub-agent: another agent gave you one task, and your answer goes back to it. Do just this task with the tools that you have, then answer in text with the result: complete, without questions, since nobody will reply.`

// rootPrompt is the system message of a root run: the agent's prompt, the
// conversation's, the project's, and what the server has to add to the messages.
func (s *Service) rootPrompt(ctx context.Context, run *models.Run, profile Profile, notes []string) (string, error) {
	parts := []string{firstOf(profile.SystemPrompt, s.Settings().SystemPrompt, defaultPrompt),
		run.Settings.SystemPrompt}
	project, err := s.projectPrompt(ctx, run)
	if err != nil {
		return "", err
	}
	return joinParts(append(append(parts, project), notes...)), nil
}

// childPrompt is the system message of a sub-agent; its instruction is the user's message.
func (s *Service) childPrompt(ctx context.Context, run *models.Run, profile Profile) (string, error) {
	project, err := s.projectPrompt(ctx, run)
	if err != nil {
		return "", err
	}
	return joinParts([]string{childPromptText, "Your name in this job: " + run.TaskName, profile.SystemPrompt,
		project}), nil
}

// projectPrompt is what a project adds: its instructions and its AGENTS.md.
func (s *Service) projectPrompt(ctx context.Context, run *models.Run) (string, error) {
	if run.ProjectID == "" {
		return "", nil
	}
	project, err := s.Store.GetProject(ctx, run.UserID, run.ProjectID)
	if err != nil {
		return "", err
	}
	parts := []string{"You work in the project \"" + project.Name + "\". Paths of file tools are relative to its root."}
	if project.Instructions != "" {
		parts = append(parts, "# Project instructions\n"+project.Instructions)
	}
	agentsFile, err := s.ProjectContext(ctx, project.ID)
	if err != nil {
		s.Logger.Warn("a project's AGENTS.md could not be read", "project", project.ID, "error", err)
	}
	if agentsFile != "" {
		parts = append(parts, "# AGENTS.md of the project\n"+agentsFile)
	}
	return joinParts(parts), nil
}

func joinParts(parts []string) string {
	var kept []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n\n")
}

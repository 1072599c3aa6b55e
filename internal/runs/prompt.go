package runs

import (
	"context"
	"strings"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
)

const defaultPrompt = `You are a capable assistant that works with tools. Use them where they help: call several at once when they do not depend on each other, and look at results before you go on. Say plainly when something failed or cannot be done. Answer in the user's language.`

const childPromptText = `You are a sub-agent: another agent gave you one task, and your answer goes back to it. Do just this task with the tools that you have, then answer in text with the result: complete, without questions, since nobody will reply.`

const planPrompt = `# Plan mode
The user wants a plan before anything is done. You can look, and change nothing: tools that change something are not offered. Find out what you need, then answer with a concrete plan, step by step, that the user can accept or correct. Do not claim that anything was done.`

// rootPrompt is the system message of a root run: the agent's prompt, the
// conversation's, the project's, what files say, and what the server has to add to the
// messages.
func (s *Service) rootPrompt(ctx context.Context, run *models.Run, profile Profile, offered []llm.ToolDef,
	notes []string) (string, error) {
	parts := []string{firstOf(profile.SystemPrompt, s.Settings().SystemPrompt, defaultPrompt),
		run.Settings.SystemPrompt, taskPrompt(run)}
	place, err := s.placePrompt(ctx, run, offered)
	if err != nil {
		return "", err
	}
	return joinParts(append(append(parts, place), notes...)), nil
}

// childPrompt is the system message of a sub-agent; its instruction is the user's message.
func (s *Service) childPrompt(ctx context.Context, run *models.Run, profile Profile,
	offered []llm.ToolDef) (string, error) {
	place, err := s.placePrompt(ctx, run, offered)
	if err != nil {
		return "", err
	}
	return joinParts([]string{childPromptText, "Your name in this job: " + run.TaskName, profile.SystemPrompt,
		place}), nil
}

// placePrompt is what the place of a run adds: its project's instructions, and what
// files say there.
func (s *Service) placePrompt(ctx context.Context, run *models.Run, offered []llm.ToolDef) (string, error) {
	var parts []string
	plans, err := s.plans(ctx, run)
	if err != nil {
		return "", err
	}
	if plans {
		parts = append(parts, planPrompt)
	}
	if run.ProjectID != "" {
		project, err := s.Store.GetProject(ctx, run.UserID, run.ProjectID)
		if err != nil {
			return "", err
		}
		parts = append(parts, "You work in the project \""+project.Name+
			"\". Paths of file tools are relative to its root.")
		if project.Instructions != "" {
			parts = append(parts, "# Project instructions\n"+project.Instructions)
		}
	}
	names := make([]string, len(offered))
	for i, tool := range offered {
		names[i] = tool.Name
	}
	sections, err := s.Knowledge(ctx, run, names)
	if err != nil {
		s.Logger.Warn("a run begins without all that files say to it", "run", run.ID, "project", run.ProjectID,
			"error", err)
	}
	return joinParts(append(parts, sections...)), nil
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

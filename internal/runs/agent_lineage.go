package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// lineage are the runs above a run with their agents, its parent first. Whatever
// a run may, each of them may too: what one agent cannot do it cannot have
// another one do.
type lineage []ancestor

type ancestor struct {
	run     *models.Run
	profile Profile
}

func (s *Service) lineage(ctx context.Context, run *models.Run) (lineage, error) {
	var above lineage
	for origin := originOf(run); origin != ""; origin = originOf(run) {
		parent, err := s.Store.Run(ctx, "", origin)
		if run.ParentRunID == "" && store.IsCode(err, store.CodeNotFound) {
			return nil, errNoOrigin(run)
		}
		if err != nil {
			return nil, fmt.Errorf("read the run above %s: %w", run.ID, err)
		}
		profile, ok := s.Profile(parent.Agent)
		if !ok {
			return nil, &agent.Error{Code: codeUnknownAgent,
				Message: fmt.Sprintf("the agent %q is no longer in config.yml", parent.Agent)}
		}
		above = append(above, ancestor{parent, profile})
		run = parent
	}
	return above, nil
}

// childToolPolicy says why a run may not use a tool: because of itself, or of one above it.
func (s *Service) childToolPolicy(above lineage, run *models.Run, profile Profile) func(name string) error {
	checks := []func(string) error{s.permitted(run, profile)}
	for _, one := range above {
		checks = append(checks, s.permitted(one.run, one.profile))
	}
	return func(name string) error {
		for _, check := range checks {
			if err := check(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// presets are the arguments by tool that win over the model's: the agent's own,
// below those of the agents above it.
func (l lineage) presets(profile Profile) map[string]map[string]any {
	if len(l) == 0 {
		return profile.Presets
	}
	merged := map[string]map[string]any{}
	add := func(presets map[string]map[string]any) {
		for tool, arguments := range presets {
			if merged[tool] == nil {
				merged[tool] = map[string]any{}
			}
			maps.Copy(merged[tool], arguments)
		}
	}
	add(profile.Presets)
	for _, one := range l {
		add(one.profile.Presets)
	}
	return merged
}

// agents are the ids of the profiles, the outermost first.
func (l lineage) agents() []string {
	var ids []string
	for _, one := range slices.Backward(l) {
		ids = append(ids, firstOf(one.run.Agent, DefaultAgent))
	}
	return ids
}

// chats is how many of a run and those above it were called by another agent.
func (l lineage) chats(run *models.Run) int {
	n := 0
	if run.Settings.Session != "" {
		n++
	}
	for _, one := range l {
		if one.run.Settings.Session != "" {
			n++
		}
	}
	return n
}

package app

import (
	"context"

	"nanoclaw/internal/api"
	"nanoclaw/internal/services"
)

// toolPlace says where a tool runs processes, for people to see.
func (a *App) toolPlace(ctx context.Context, name string) api.Place {
	place := api.Place{Unavailable: sandboxToolOff(ctx, a.located, name)}
	s, err := services.Get(a.located, sandboxServicesKey)
	if err != nil || place.Unavailable != "" {
		return place
	}
	c := s.live.Current()
	switch name {
	case "shell_execute":
		if policy, err := s.policies.find(ctx, shellPolicy(c)); err == nil {
			place.Policy, place.Facts = policy.Name(), policy.Facts()
		}
	case "execute_python":
		if policy, err := s.pythonPolicy(ctx, c); err == nil {
			place.Policy, place.Facts = policy.Name(), policy.Facts()
		}
	}
	return place
}

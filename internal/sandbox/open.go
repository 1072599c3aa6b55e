package sandbox

import (
	"context"
	"fmt"
)

// Settings choose a policy.
type Settings struct {
	Policy      string // sandbox | docker | host
	Environment string // development | test | production
	Image       string // of policy docker
}

// Open finds the engine of a policy and tries it. Without the engine it returns
// an *UnavailableError; so it does for host outside of environment development.
// It never chooses another policy than the one that was asked for.
func Open(ctx context.Context, s Settings) (Policy, error) {
	switch s.Policy {
	case "sandbox":
		return newBubblewrap(ctx)
	case "docker":
		return newDocker(ctx, s.Image)
	case "host":
		if s.Environment != "development" {
			return nil, &UnavailableError{Policy: "host",
				Reason: fmt.Sprintf("it has no isolation, which environment %q refuses: use sandbox or docker",
					s.Environment)}
		}
		return host{}, nil
	default:
		return nil, fmt.Errorf("the policy %q is not known: use sandbox, docker or host", s.Policy)
	}
}

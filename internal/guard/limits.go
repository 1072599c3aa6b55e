package guard

import (
	"context"
	"fmt"
)

// limitGuardian keeps tool_limits.
type limitGuardian struct{ ledger Ledger }

func (limitGuardian) name() string { return "limits" }

func (g limitGuardian) check(ctx context.Context, in *inspection) ([]finding, error) {
	if g.ledger == nil {
		return nil, nil
	}
	limits := in.settings.Limits
	for _, tool := range []string{in.call.Tool.Name, "*"} {
		perRun, perConversation := limits.PerRun[tool], limits.PerConversation[tool]
		if perRun <= 0 && perConversation <= 0 {
			continue
		}
		inRun, inConversation, err := g.ledger.Calls(ctx, in.call.Call, tool)
		if err != nil {
			return nil, fmt.Errorf("count the calls of %s: %w", tool, err)
		}
		if perRun > 0 && inRun >= perRun {
			return []finding{exceeded(tool, "run", perRun)}, nil
		}
		if perConversation > 0 && inConversation >= perConversation {
			return []finding{exceeded(tool, "conversation", perConversation)}, nil
		}
	}
	return nil, nil
}

func exceeded(tool, where string, limit int) finding {
	what := "the tool " + tool
	if tool == "*" {
		what = "any tool"
	}
	message := fmt.Sprintf("%s may be called %d times in one %s (tool_limits.per_%s), and was", what, limit, where,
		where)
	f := ruleHead{"limits.per_" + where, High, actionDeny, message}.finding("limit", "")
	f.reason = message + "; answer with what you have, or tell the user what is missing"
	return f
}

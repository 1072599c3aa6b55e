package guard

import (
	"slices"
	"testing"

	"nanoclaw/internal/config"
)

// TG3: whatever the guard finds can be named in guard.disabled_rules: no finding has
// an id that RuleIDs does not tell.
func TestEveryFindingHasAKnownID(t *testing.T) {
	t.Parallel()
	ids := RuleIDs()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	found := map[string]bool{}
	for _, file := range []string{"commands.yaml", "commands_probes.yaml", "commands_held_out.yaml"} {
		for _, c := range readTable(t, file) {
			decision, err := engine.Check(t.Context(), shellCall(c.Command))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range decision.Findings {
				found[f.ID] = true
				if !slices.Contains(ids, f.ID) {
					t.Errorf("%s is not among the ids of rules", f.ID)
				}
			}
		}
	}
	if len(found) < 50 {
		t.Errorf("the tables lead to %d ids only", len(found))
	}
}

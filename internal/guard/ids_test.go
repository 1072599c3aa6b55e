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

// TG3: every rule of commands says what it is about, and none matches everything.
func TestTheRulesOfCommandsAreComplete(t *testing.T) {
	t.Parallel()
	for _, rule := range commandRules().all {
		severe := slices.Contains([]Severity{Critical, High, Medium, Low, Info}, rule.Severity)
		action := slices.Contains([]string{"", "ask", actionDeny}, rule.Action)
		scope := slices.Contains([]string{scopeHost, scopeSandbox, scopeNetwork}, rule.Scope)
		if rule.ID == "" || rule.Message == "" || !severe || !action || !scope {
			t.Errorf("rule %q: %+v", rule.ID, rule.ruleHead)
		}
		if len(rule.Names) == 0 && rule.WritesTo.Regexp == nil && rule.ReadsFrom.Regexp == nil &&
			rule.Setting.Regexp == nil {
			t.Errorf("rule %s matches everything", rule.ID)
		}
	}
}

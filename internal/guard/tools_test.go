package guard

import (
	"context"
	"slices"
	"testing"

	"nanoclaw/internal/config"
)

// toolTwin is a command that has to ask, and one much like it that need not.
type toolTwin struct {
	theme     string
	dangerous []string
	harmless  []string
}

// TG2: what programs take in their own languages and options is judged by what it does,
// and not by the program.
func TestWhatToolsAreToldToDo(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, twin := range slices.Concat(toolTwins, codeTwins, everydayTwins) {
		t.Run(twin.theme, func(t *testing.T) {
			for _, command := range twin.dangerous {
				if decision, err := engine.Check(context.Background(), shellCall(command)); err != nil || decision.Verdict == Allow {
					t.Errorf("passes: %s (%v)", command, err)
				}
			}
			for _, command := range twin.harmless {
				if decision, err := engine.Check(context.Background(), shellCall(command)); err != nil || decision.Verdict != Allow {
					t.Errorf("asks: %s: %+v (%v)", command, decision.Findings, err)
				}
			}
		})
	}
}

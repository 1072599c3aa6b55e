package guard

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"nanoclaw/internal/config"
)

// tableCase is one line of testdata/commands*.yaml.
type tableCase struct {
	Command string   `yaml:"command"`
	Expect  []string `yaml:"expect"`
}

func readTable(t *testing.T, file string) []tableCase {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []tableCase
	if err := yaml.UnmarshalWithOptions(data, &cases, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return cases
}

// figures are how the guard does on a table. A finding counts where it makes the
// call ask at level auto.
type figures struct{ dangerous, found, named, harmless, alarms int }

func (f figures) recall() float64 { return 100 * float64(f.named) / float64(max(1, f.dangerous)) }
func (f figures) falseAlarms() float64 {
	return 100 * float64(f.alarms) / float64(max(1, f.harmless))
}

func measure(t *testing.T, cases []tableCase, wrong func(tableCase, []Finding)) figures {
	t.Helper()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	var f figures
	for _, c := range cases {
		decision, err := engine.Check(context.Background(), shellCall(c.Command))
		if err != nil {
			t.Fatalf("%q: %v", c.Command, err)
		}
		asking := slices.DeleteFunc(slices.Clone(decision.Findings), func(f Finding) bool { return !asks(Auto, f.Severity) })
		if len(c.Expect) == 0 {
			f.harmless++
			if decision.Verdict != Allow {
				f.alarms++
				wrong(c, asking)
			}
			continue
		}
		f.dangerous++
		if decision.Verdict != Allow {
			f.found++
		}
		// A line that the shell refuses runs nothing: it need not ask, and has to be named.
		refused := slices.Contains(c.Expect, "evasion.unparsable") && slices.ContainsFunc(decision.Findings, func(f Finding) bool { return f.ID == "evasion.unparsable" })
		if refused || slices.ContainsFunc(asking, func(found Finding) bool {
			return slices.ContainsFunc(c.Expect, func(id string) bool { return found.ID == id || strings.HasPrefix(found.ID, id+".") })
		}) {
			f.named++
		} else {
			wrong(c, asking)
		}
	}
	return f
}

// TG2: how many of the dangerous commands of the tables are found, under an id that
// the table names, and how many of the harmless ones are taken for dangerous.
func TestTheTableOfCommands(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		file string
		show bool    // held out: its lines are not for tuning
		goal float64 // recall in per cent
	}{
		{"commands.yaml", true, 98},
		{"commands_probes.yaml", true, 98},
		{"commands_held_out.yaml", false, 98},
	} {
		f := measure(t, readTable(t, table.file), func(c tableCase, found []Finding) {
			if table.show {
				t.Logf("%s: wrong: %q, want %v, found %+v", table.file, c.Command, c.Expect, found)
			}
		})
		t.Logf("%s: %d of %d dangerous commands named (%.1f %%), %d ask; %d of %d harmless ones ask (%.1f %%)",
			table.file, f.named, f.dangerous, f.recall(), f.found, f.alarms, f.harmless, f.falseAlarms())
		if f.dangerous == 0 || f.harmless == 0 {
			t.Errorf("%s has no cases", table.file)
		}
		if f.recall() < table.goal || f.falseAlarms() > 3 {
			t.Errorf("%s: the bounds are a recall of %v %% and 3 %% false alarms", table.file, table.goal)
		}
	}
}

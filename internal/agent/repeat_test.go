package agent

import (
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

// TS8: the note that a model reads about a repeated call is English.
func TestAnOrdinalIsWrittenAsEnglishDoes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th",
		13: "13th", 21: "21st", 22: "22nd", 101: "101st", 111: "111th", 112: "112th", 1003: "1003rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

// The third equal call gets a note, the fourth ends the run.
func TestARepeatedCallIsNotedAndThenEndsTheRun(t *testing.T) {
	t.Parallel()
	watch := newRepeatWatch()
	step := func(id string) *Step {
		return &Step{Calls: []*Call{{Invocation: tools.Invocation{ID: id, Name: "look", Arguments: "{}"},
			Record: &tools.Record{Result: "same"}}}}
	}
	for _, id := range []string{"1", "2", "3"} {
		watch.observe(step(id))
	}
	if note := watch.notes["3"]; !strings.Contains(note, "for the 3rd time in a row") || watch.err() != nil ||
		len(watch.notes) != 1 {
		t.Errorf("the notes are %v, %v", watch.notes, watch.err())
	}
	if watch.observe(step("4")); watch.err() == nil {
		t.Error("the fourth call did not end the run")
	}
}

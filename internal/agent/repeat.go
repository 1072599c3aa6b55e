package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"nanoclaw/internal/tools"
)

// How often in a row the same call may answer the same.
const (
	repeatsBeforeNote = 3
	repeatsBeforeEnd  = 4
)

// repeatWatch sees when an agent goes round in circles: the same call, with the
// same arguments and the same result, step after step. The third time the model
// is told; the fourth time the run ends.
type repeatWatch struct {
	streaks map[[sha256.Size]byte]int // of the calls of the last step
	notes   map[string]string         // by call id, for the model
	ended   error
}

func newRepeatWatch() *repeatWatch {
	return &repeatWatch{streaks: map[[sha256.Size]byte]int{}, notes: map[string]string{}}
}

// observe counts a complete step. A call that the step does not repeat starts anew.
func (w *repeatWatch) observe(step *Step) {
	now := make(map[[sha256.Size]byte]int, len(step.Calls))
	for _, call := range step.Calls {
		key := repeatKey(call)
		if _, twice := now[key]; twice {
			continue
		}
		streak := w.streaks[key] + 1
		now[key] = streak
		if streak >= repeatsBeforeNote {
			w.notes[call.ID] = fmt.Sprintf(
				"%s was called with the same arguments and gave the same result for the %s time in a row. "+
					"Do not call it again like this: use what you have, change the arguments, or say what is missing.",
				call.Name, ordinal(streak))
		}
		if streak >= repeatsBeforeEnd {
			w.ended = &Error{Code: CodeLoopDetected, Message: fmt.Sprintf(
				"the agent called %s %d times in a row with the same arguments and the same result, also after it "+
					"was told; the run was ended", call.Name, streak)}
		}
	}
	w.streaks = now
}

func (w *repeatWatch) err() error { return w.ended }

// ordinal is a counting number as English writes its place: 1st, 2nd, 11th.
func ordinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// repeatKey is the same for calls of one tool with equal arguments and an equal result.
func repeatKey(call *Call) [sha256.Size]byte {
	arguments := []byte(call.Arguments)
	if parsed, _, err := tools.ParseArguments(call.Arguments); err == nil {
		if canonical, err := tools.Canonical(parsed); err == nil {
			arguments = canonical
		}
	}
	text, _ := json.Marshal([]string{call.Name, string(arguments), call.Record.Result})
	return sha256.Sum256(text)
}

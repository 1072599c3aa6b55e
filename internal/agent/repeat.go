package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

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

// see counts a settled step. A call that the step does not repeat starts anew.
func (w *repeatWatch) see(step *Step) {
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
				"This is the %d. time in a row that %s was called with the same arguments and gave the same result. "+
					"Do not call it again like this: use what you have, change the arguments, or say what is missing.",
				streak, call.Name)
		}
		if streak >= repeatsBeforeEnd {
			w.ended = &Error{Code: CodeLoopDetected, Message: fmt.Sprintf(
				"the agent called %s %d times in a row with the same arguments and the same result, also after it "+
					"was told; the run was ended", call.Name, streak)}
		}
	}
	w.streaks = now
}

func (w *repeatWatch) verdict() error { return w.ended }

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

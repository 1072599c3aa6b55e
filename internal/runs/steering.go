package runs

import (
	"context"
	"slices"
	"strings"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// maxSteering is how many bytes may be sent to one run while it is at work.
const maxSteering = 1 << 20

// SteeringView is a message into a run at work as clients see it.
type SteeringView struct {
	ID        string      `json:"id"`
	Text      string      `json:"text"`
	Pending   bool        `json:"pending" doc:"The model has not got it yet: it does with its next request."`
	CreatedAt models.Time `json:"created_at"`
}

func viewSteering(m models.Steering) SteeringView {
	return SteeringView{ID: m.ID, Text: m.Text, Pending: m.Before < 0, CreatedAt: m.CreatedAt}
}

// Steer sends a message into a root run at work. Its model gets it with its next request; a
// run that was about to end goes on. Errors: *InvalidError, not_found, forbidden, conflict.
func (s *Service) Steer(ctx context.Context, userID, runID, text string) (SteeringView, error) {
	if strings.TrimSpace(text) == "" {
		return SteeringView{}, &InvalidError{Field: "text", Message: "it is empty: send some text",
			Code: "invalid_arguments"}
	}
	message := models.Steering{ID: store.NewID(), Text: text, CreatedAt: now(), Before: -1}
	view := viewSteering(message)
	return view, s.commit(ctx, func(tx *store.Tx) error {
		run, err := tx.Steer(userID, runID, message, maxSteering)
		if err == nil {
			tx.Send(eventRow(EventRunMessage, run, steeringPayload{view}))
		}
		return err
	})
}

// steering is what the loop knows of what was said: what is new stands before step next.
func (t *tree) steering(next int) []agent.Steering {
	placed := t.place(next)
	for _, m := range placed {
		t.publishTransient(EventRunMessage, t.root, steeringPayload{viewSteering(m)})
	}
	var said []agent.Steering
	for _, m := range t.said() {
		said = append(said, agent.Steering{Before: m.Before, Text: m.Text})
	}
	return said
}

func (t *tree) place(next int) (placed []models.Steering) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.root.Steering {
		if m := &t.root.Steering[i]; m.Before < 0 {
			m.Before = next
			placed = append(placed, *m)
		}
	}
	return placed
}

// said is what was sent to the root run, as far as this process knows.
func (t *tree) said() []models.Steering {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.root.Steering)
}

// hear learns from a transaction of the tree what was sent meanwhile, and stores with it where
// stands what was sent before.
func (t *tree) hear(tx *store.Tx) error {
	stored, err := tx.Steering()
	if err != nil || len(stored) == 0 {
		return err
	}
	t.mu.Lock()
	known := t.root.Steering
	moved := false
	for i := range known {
		moved = moved || known[i].Before != stored[i].Before
	}
	known = append(known[:len(known):len(known)], stored[len(known):]...)
	t.root.Steering = known
	list := slices.Clone(known)
	t.mu.Unlock()
	if moved {
		err = tx.PlaceSteering(list)
	}
	return err
}

// placedIn is what the database has of the run's steering, with what this process knows of its places.
func (t *tree) placedIn(stored []models.Steering) []models.Steering {
	for i, m := range t.said() {
		if i < len(stored) {
			stored[i].Before = m.Before
		}
	}
	return stored
}

// replaySteering finds in an earlier answer what the person said into it: by the id of the step that
// it stands before, and what stands behind all steps.
func replaySteering(entries []models.StepEntry) (before map[string][]string, end []string) {
	before = map[string][]string{}
	for _, entry := range entries {
		switch {
		case entry.Type == entryUser:
			end = append(end, entry.Text)
		case len(end) > 0 && entry.StepID != "":
			before[entry.StepID] = end
			end = nil
		}
	}
	return before, end
}

func sayAll(messages []llm.Message, texts []string) []llm.Message {
	for _, text := range texts {
		messages = agent.Said(messages, text)
	}
	return messages
}

package runs

import (
	"context"
	"time"

	"nanoclaw/internal/models"
)

// Snapshot is all that a client needs to show a run from scratch.
type Snapshot struct {
	Run       *RunView          `json:"run"`       // null: no run is active
	Message   *MessageView      `json:"message"`   // the assistant's so far
	Approvals []*ApprovalView   `json:"approvals"` // that wait for a decision
	Agents    []SnapshotOfAgent `json:"agents,omitempty"`
	Retries   map[string]Retry  `json:"retries,omitempty" doc:"Runs whose model calls failed and are made again, by id."`
}

// SnapshotOfAgent is what a sub-agent said and did so far.
type SnapshotOfAgent struct {
	RunID     string             `json:"run_id"`
	AgentPath string             `json:"agent_path"`
	Steps     []models.StepEntry `json:"steps"`
	ToolCalls []ToolCall         `json:"tool_calls"`
}

// snapshotOf shows a root run with what it said so far, the step under way included.
func (s *Service) snapshotOf(ctx context.Context, rootRunID string) (*Snapshot, *models.Run, error) {
	root, err := s.Store.Run(ctx, "", rootRunID)
	if err != nil {
		return nil, nil, err
	}
	childRuns, err := s.Store.SubAgents(ctx, rootRunID)
	if err != nil {
		return nil, nil, err
	}
	snapshot := &Snapshot{Run: viewTree(root, childRuns), Approvals: []*ApprovalView{}}
	waiting, err := s.Store.PendingApprovals(ctx, rootRunID)
	if err != nil {
		return nil, nil, err
	}
	for _, approval := range waiting {
		snapshot.Approvals = append(snapshot.Approvals, s.ViewApproval(approval))
	}
	steps, calls, err := s.presentSteps(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	said := root.Steering
	if t := s.tree(rootRunID); t != nil {
		said, snapshot.Retries = t.placedIn(said), t.waits()
	}
	snapshot.Message, err = ViewMessage(s.assistantMessage(root, snapshot.Run.Usage, steps, calls, said))
	if err != nil {
		return nil, nil, err
	}
	for _, child := range childRuns {
		if models.RunEnded(child.Status) {
			continue
		}
		steps, calls, err := s.presentSteps(ctx, child)
		if err != nil {
			return nil, nil, err
		}
		entries, records, _ := s.showSteps(steps, calls, nil, false)
		snapshot.Agents = append(snapshot.Agents, SnapshotOfAgent{RunID: child.ID, AgentPath: child.AgentPath,
			Steps: entries, ToolCalls: records})
	}
	return snapshot, root, nil
}

// conversationSnapshot is the state that live events go on from. Events that it
// already holds may follow it: they carry ids and offsets that say so.
func (s *Service) conversationSnapshot(ctx context.Context, userID, conversationID, cursor string) (Event, error) {
	var active []*models.Run
	var err error
	if conversationID != "" {
		active, err = s.Store.ActiveRuns(ctx, conversationID)
	} else {
		active, err = s.Store.ActiveRunsOfUser(ctx, userID)
	}
	if err != nil {
		return Event{}, err
	}
	payload := struct {
		Snapshot
		Runs []Snapshot `json:"runs"` // all that are active, the one above first
	}{Snapshot: Snapshot{Approvals: []*ApprovalView{}}, Runs: []Snapshot{}}
	head := EventHead{Type: EventSnapshot, ConversationID: conversationID,
		Time: time.Now().UTC().Format(time.RFC3339Nano)}
	for _, run := range active {
		snapshot, root, err := s.snapshotOf(ctx, run.ID)
		if err != nil {
			return Event{}, err
		}
		if len(payload.Runs) == 0 && conversationID != "" {
			payload.Snapshot = *snapshot
			head.RunID, head.RootRunID, head.AgentPath = root.ID, root.ID, root.AgentPath
		}
		payload.Runs = append(payload.Runs, *snapshot)
	}
	return Event{Cursor: cursor, Type: EventSnapshot, Data: splice(head, payload)}, nil
}

// presentSteps are a run's stored steps and the one under way as far as it was shown.
// The live text is read first: a step that ends meanwhile is then in the store.
func (s *Service) presentSteps(ctx context.Context, run *models.Run) ([]*models.Step, []*models.ToolCall, error) {
	var live *models.Step
	if t := s.tree(run.RootRunID); t != nil {
		if id, number, thinking, text, ok := t.shownText(run.ID); ok {
			live = &models.Step{ID: id, RunID: run.ID, Number: number, Reasoning: thinking, Text: text}
		}
	}
	steps, calls, err := s.Store.Steps(ctx, run.ID)
	if err != nil {
		return nil, nil, err
	}
	if live != nil && (len(steps) == 0 || steps[len(steps)-1].ID != live.ID) {
		steps = append(steps, live)
	}
	return steps, calls, nil
}

// publishSnapshot tells everybody who watches what a resumed run consists of: it
// replaces what was shown of the attempt that was lost.
func (s *Service) publishSnapshot(ctx context.Context, t *tree) error {
	snapshot, _, err := s.snapshotOf(ctx, t.root.ID)
	if err != nil {
		return err
	}
	t.publishTransient(EventSnapshot, t.root, snapshot)
	return nil
}

package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/fault"
	"nanoclaw/internal/models"
)

// CodeAlreadyDecided is the code of a *DecidedError.
const CodeAlreadyDecided = "already_decided"

// DecidedError says that an approval no longer waits.
type DecidedError struct{ Approval *models.Approval }

func (e *DecidedError) Error() string {
	what := map[string]string{
		models.ApprovalExpired:  "not decided in time",
		models.ApprovalCanceled: "its run ended first",
	}[e.Approval.Status]
	if what == "" {
		what = "it was " + e.Approval.Status
	}
	return fmt.Sprintf("approval %s does not wait any more: %s", e.Approval.ID, what)
}

// ErrorCode is CodeAlreadyDecided.
func (e *DecidedError) ErrorCode() string { return CodeAlreadyDecided }

// Decision ends the wait of one approval.
type Decision struct {
	ApprovalID string
	Status     string         // models.ApprovalApproved, ApprovalDenied or ApprovalExpired
	Scope      string         // of an approval: models.ScopeOnce, ScopeConversation, ScopeAlways
	Coverage   models.RawJSON // of a wider scope: guard.Coverage; empty: the call with the same arguments
	OtherCalls bool           // Coverage is of calls with other arguments, too
	Reason     string
	By         string // id of the user; empty: it expired
	ByName     string // their name, in auth_mode multi

	// EditedArguments are what runs instead of what was asked; EditedHash is theirs,
	// and EditedShown shows them with secrets covered.
	EditedArguments, EditedHash, EditedShown string

	// Outbox says what to send. run is the root run; queued says that it waited and
	// is queued again, so that its work message is to be sent.
	Outbox func(approval *models.Approval, root *models.Run, queued bool) []*models.Outbox

	// Audit is the row of the decision: both are stored, or none is. nil:
	// there is none.
	Audit func(*models.Approval) *models.Audit
}

// Decide ends the wait of an approval in one transaction: what was decided, its row
// in the audit, the standing approval that comes of it, and the root run's place in the
// queue where nobody works on it. It returns a *DecidedError where it does not wait any more,
// also when its time is over and nobody has noted that yet.
func (s *Store) Decide(ctx context.Context, d Decision) (*models.Approval, []*models.Outbox, error) {
	fault.Point("decided.before")
	var approval models.Approval
	var rows []*models.Outbox
	err := s.tx(ctx, func(tx *gorm.DB) error {
		approval, rows = models.Approval{}, nil
		if err := takeWaiting(tx, d, &approval); err != nil {
			return err
		}
		approval.Status, approval.Reason, approval.DecidedBy, approval.DecidedAt = d.Status, d.Reason, d.By,
			models.Now()
		approval.DecidedByName = d.ByName
		if d.Status == models.ApprovalApproved {
			approval.Scope, approval.Coverage = d.Scope, d.Coverage
			approval.EditedArguments, approval.EditedHash = d.EditedArguments, d.EditedHash
		}
		err := tx.Model(&approval).Select("status", "reason", "decided_by", "decided_by_name", "decided_at", "scope", "coverage",
			"edited_arguments", "edited_hash").Updates(&approval).Error
		if err != nil {
			return fmt.Errorf("store the decision on approval %s: %w", approval.ID, err)
		}
		if err := editCall(tx, &approval); err != nil {
			return err
		}
		if err := standing(tx, &approval, d); err != nil {
			return err
		}
		root, queued, err := wake(tx, approval.RootRunID)
		if err != nil {
			return err
		}
		if d.Audit != nil {
			audited := []*models.Audit{d.Audit(&approval)}
			s.complete(audited)
			if err := s.addAudit(tx, audited); err != nil {
				return err
			}
		}
		rows = d.Outbox(&approval, root, queued)
		fault.Point("decided.during")
		return addOutbox(tx, rows)
	})
	if err != nil {
		return nil, nil, err
	}
	s.chainer.kick()
	fault.Point("decided.after")
	return &approval, rows, nil
}

// takeWaiting reads and locks the approval that a decision is on, behind its root run, as
// the worker of the run does. One that does not wait any more is a *DecidedError.
func takeWaiting(tx *gorm.DB, d Decision, approval *models.Approval) error {
	if err := tx.Select("root_run_id").Take(approval, "id = ?", d.ApprovalID).Error; err != nil {
		return found(err, "approval", d.ApprovalID)
	}
	if err := (&Tx{db: tx}).lockTree(approval.RootRunID); err != nil {
		return err
	}
	*approval = models.Approval{}
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(approval, "id = ?", d.ApprovalID).Error
	if err != nil {
		return found(err, "approval", d.ApprovalID)
	}
	over := approval.ExpiresAt != 0 && approval.ExpiresAt <= models.Now()
	expires := d.Status == models.ApprovalExpired
	if approval.Status == models.ApprovalPending && over == expires {
		return nil
	}
	if approval.Status == models.ApprovalPending && over {
		approval.Status = models.ApprovalExpired
	}
	return &DecidedError{approval}
}

// editCall makes the call one with the arguments that a person put in place of the
// model's: they run, and they are what everybody sees of it from now on.
func editCall(tx *gorm.DB, a *models.Approval) error {
	if a.EditedHash == "" {
		return nil
	}
	err := tx.Model(&models.ToolCall{}).Where("id = ? AND state = ?", a.CallID,
		models.CallSuspended).Update("arguments", a.EditedArguments).Error
	if err != nil {
		return fmt.Errorf("edit the arguments of tool call %s: %w", a.CallID, err)
	}
	return nil
}

// wake queues a root run again that waits for a person. One that somebody works
// on is left alone: its worker learns of the decision, at the latest before it
// lets go of the run.
func wake(tx *gorm.DB, rootRunID string) (*models.Run, bool, error) {
	var run models.Run
	if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&run, "id = ?", rootRunID).Error; err != nil {
		return nil, false, fmt.Errorf("read run %s: %w", rootRunID, err)
	}
	if run.Status != models.RunWaitingApproval {
		return &run, false, nil
	}
	run.Status = models.RunQueued
	run.EnqueueNo++
	if err := tx.Model(&run).Select("status", "enqueue_no").Updates(&run).Error; err != nil {
		return nil, false, fmt.Errorf("queue run %s again: %w", rootRunID, err)
	}
	return &run, true, nil
}

// OverdueApprovals are the ids of those whose time is over and that still wait.
func (s *Store) OverdueApprovals(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&models.Approval{}).Where("status = 'pending' AND expires_at <= ? AND expires_at <> 0",
		models.Now()).
		Order("expires_at").Limit(MaxLimit).Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for overdue approvals: %w", err)
	}
	return ids, nil
}

// IsDecided says whether err is a *DecidedError.
func IsDecided(err error) bool {
	var decided *DecidedError
	return errors.As(err, &decided)
}

package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
)

// Codes of commands that cannot be obeyed.
const (
	CodeNothingWaits  = "no_pending_approval"
	CodeWhichApproval = "which_approval"
)

// Command is a message to a run that waits for a person, and not to the model:
//
//	/approve [number|id|all] [once|conversation|always] [call|prefix|rule|tool]
//	/deny    [number|id|all] [reason]
//
// The number counts the calls that wait, the longest first, from 1.
type Command struct {
	Approve bool
	words   []string
}

// CommandError says why a command cannot be obeyed, and what to write instead.
type CommandError struct{ Code, Message string }

func (e *CommandError) Error() string { return e.Message }

// ErrorCode is what clients see.
func (e *CommandError) ErrorCode() string { return e.Code }

// ParseCommand reads a message; false: it is none.
func ParseCommand(text string) (Command, bool) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != "/approve" && words[0] != "/deny" {
		return Command{}, false
	}
	return Command{Approve: words[0] == "/approve", words: words[1:]}, true
}

// Obey carries out a command of who may decide in the conversation. Errors: *CommandError,
// and those of Decide.
func (s *Service) Obey(ctx context.Context, by DecideRequest, conversationID string,
	c Command) ([]*ApprovalView, error) {
	waiting, err := s.waitingIn(ctx, conversationID)
	if err != nil {
		return nil, err
	}
	if len(waiting) == 0 {
		return nil, &CommandError{CodeNothingWaits,
			"nothing waits for a decision in this conversation; /approve and /deny are not sent to the model"}
	}
	meant, rest, err := c.resolveTargets(waiting)
	if err != nil {
		return nil, err
	}
	req := by
	req.Approve, req.Reason = c.Approve, strings.Join(rest, " ")
	if c.Approve {
		if req.Scope, req.Covers, err = scopeOf(rest); err != nil {
			return nil, err
		}
		req.Reason = ""
	}
	var decided []*ApprovalView
	for _, approval := range meant {
		req.ApprovalID = approval.ID
		view, err := s.Decide(ctx, req)
		if err != nil {
			return nil, err
		}
		decided = append(decided, view)
	}
	return decided, nil
}

// waitingIn are the calls of the conversation's active run that wait.
func (s *Service) waitingIn(ctx context.Context, conversationID string) ([]*models.Approval, error) {
	active, err := s.Store.ActiveRuns(ctx, conversationID)
	if err != nil || len(active) == 0 {
		return nil, err
	}
	return s.Store.PendingApprovals(ctx, active[0].ID) // the others wait for its end
}

// resolveTargets finds what the command is about, and the words behind that.
func (c Command) resolveTargets(waiting []*models.Approval) (meant []*models.Approval, rest []string, err error) {
	if len(c.words) > 0 {
		first, rest := c.words[0], c.words[1:]
		if first == "all" {
			return waiting, rest, nil
		}
		for _, approval := range waiting {
			if first == approval.ID {
				return []*models.Approval{approval}, rest, nil
			}
		}
		if n, err := strconv.Atoi(first); err == nil || errors.Is(err, strconv.ErrRange) {
			if err == nil && n >= 1 && n <= len(waiting) {
				return waiting[n-1 : n], rest, nil
			}
			return nil, nil, &CommandError{CodeWhichApproval, fmt.Sprintf("there is no number %s. %s", first,
				c.choice(waiting))}
		}
		if uuid.Validate(first) == nil { // of one that was decided, or of another conversation: no other is meant
			return nil, nil, &CommandError{CodeWhichApproval,
				fmt.Sprintf("no call waits for the approval %s in this conversation. %s", first, c.choice(waiting))}
		}
	}
	if len(waiting) > 1 {
		return nil, nil, &CommandError{CodeWhichApproval, c.choice(waiting)}
	}
	return waiting, c.words, nil
}

// choice lists what waits.
func (c Command) choice(waiting []*models.Approval) string {
	verb := "/deny"
	if c.Approve {
		verb = "/approve"
	}
	lines := make([]string, len(waiting))
	for i, approval := range waiting {
		lines[i] = fmt.Sprintf("%d) %s %s (%s)", i+1, approval.Tool, shorten(approval.Arguments, 200),
			approval.AgentPath)
	}
	return fmt.Sprintf("calls that wait: %s. Write for example %s 1, or %s all", strings.Join(lines, "; "), verb, verb)
}

// scopeOf reads the words behind what the command is about: the scope, and what it covers.
func scopeOf(words []string) (scope, covers string, err error) {
	if len(words) == 0 {
		return models.ScopeOnce, "", nil
	}
	scopes := []string{models.ScopeOnce, models.ScopeConversation, models.ScopeAlways}
	kinds := []string{guard.CoversCall, guard.CoversPrefix, guard.CoversRule, guard.CoversTool}
	switch {
	case slices.Contains(scopes, words[0]) && len(words) == 1:
		return words[0], "", nil
	case slices.Contains(scopes, words[0]) && len(words) == 2 && slices.Contains(kinds, words[1]):
		return words[0], words[1], nil
	}
	return "", "", &InvalidError{Field: "text", Code: "invalid_arguments", Message: fmt.Sprintf(
		"%q is not understood: write /approve, perhaps a number, perhaps once, conversation or always, and behind "+
			"one of the last two perhaps call, prefix, rule or tool",
		strings.Join(words, " "))}
}

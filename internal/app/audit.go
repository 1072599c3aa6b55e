package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/programs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// audit writes one row per finished tool call: also of one that was refused,
// denied, a duplicate, or served from the cache (FS5).
func (a *App) audit(ctx context.Context, e executor.AuditEntry) {
	outcome := "success"
	if !e.Success {
		outcome = e.Code
	}
	a.metrics.ToolCall(e.Tool, e.Effect != "", e.Cached, outcome)
	limit := int(a.Live.Current().Retention.AuditText.Bytes())
	row := &models.Audit{
		Time: models.TimeOf(e.Time), Kind: models.AuditCall, UserID: e.UserID, ProjectID: e.ProjectID,
		ConversationID: e.ConversationID,
		RunID:          e.RunID, RootRunID: e.RootRunID, CallID: e.CallID, AgentPath: e.AgentPath, Tool: e.Tool,
		Arguments: store.ShortArguments(e.Arguments, limit), ResolvedPath: a.resolvedPath(ctx, e),
		Outcome: outcome, Severity: worst(e.Findings), Detail: callDetail(e), DurationMicros: e.Duration.Microseconds(),
	}
	if !a.Runs.AuditCall(row) {
		a.append(ctx, row)
	}
}

func (a *App) append(ctx context.Context, row *models.Audit) {
	if err := a.Store.AppendAudit(context.WithoutCancel(ctx), []*models.Audit{row}); err != nil {
		a.Logger.Error("a tool call could not be audited", "call", row.CallID, "kind", row.Kind, "error", err)
	}
}

// callDetail says how a call came to its outcome, where it was not simply run.
func callDetail(e executor.AuditEntry) string {
	var words []string
	if e.Cached {
		words = append(words, "from the cache")
	}
	if e.DuplicateOf != "" {
		words = append(words, "same as call "+e.DuplicateOf)
	}
	if e.Verdict != "" && e.Verdict != guard.Allow {
		words = append(words, "guard: "+string(e.Verdict))
	}
	if e.Permission != "" {
		words = append(words, "by the standing approval "+e.Permission)
	}
	if e.DecidedBy != "" {
		words = append(words, "decided by "+e.DecidedBy)
	}
	words = append(words, commandDetail(e)...)
	return strings.Join(words, "; ")
}

// commandDetail says how a command or code ended (SH9).
func commandDetail(e executor.AuditEntry) []string {
	if e.Tool != "shell_execute" && e.Tool != "execute_python" && !strings.HasPrefix(e.Tool, programs.TemplatePrefix) {
		return nil
	}
	var result struct {
		Data struct {
			ExitCode *int     `json:"exit_code"`
			Limits   []string `json:"limits"`
			Duration float64  `json:"duration"`
		} `json:"data"`
	}
	if json.Unmarshal([]byte(e.Result), &result) != nil {
		return nil // it was refused
	}
	var words []string
	if e.Profile != "" {
		words = append(words, "agent profile "+e.Profile)
	}
	if code := result.Data.ExitCode; code != nil {
		words = append(words, fmt.Sprintf("exit status %d", *code))
		// As bash says that a signal ended the command.
		if name := unix.SignalName(syscall.Signal(*code - 128)); *code > 128 && name != "" {
			words = append(words, "signal "+name)
		}
	}
	if len(result.Data.Limits) > 0 {
		words = append(words, "limit: "+strings.Join(result.Data.Limits, ", "))
	}
	if result.Data.Duration > 0 {
		words = append(words, fmt.Sprintf("ran %.3f s", result.Data.Duration))
	}
	return words
}

// resolvedPath is the file on the host that a call names; of several the last, which is
// where something was moved to.
func (a *App) resolvedPath(ctx context.Context, e executor.AuditEntry) string {
	tool, found := a.Registry.Get(e.Tool)
	var args map[string]any
	if !found || e.ProjectID == "" || json.Unmarshal([]byte(e.Arguments), &args) != nil {
		return ""
	}
	name, named := "", false
	for _, file := range tool.Files {
		text, _ := args[file.Property].(string)
		_, configured := a.Live.Current().Databases[text]
		isNameOnly := slices.Equal(file.Operations, []string{tools.FileList})
		if file.Pattern || isNameOnly || file.OrDatabase && configured {
			continue
		}
		name, named = text, true
	}
	if !named {
		return ""
	}
	files, err := a.Projects.Open(context.WithoutCancel(ctx), e.ProjectID)
	if err != nil {
		return ""
	}
	return workspace.ResolvedPath(context.WithoutCancel(ctx), files, name)
}

// severities, the worst first.
var severities = []guard.Severity{guard.Critical, guard.High, guard.Medium, guard.Low, guard.Info}

func worst(findings []guard.Finding) string {
	for _, severity := range severities {
		if slices.ContainsFunc(findings, func(f guard.Finding) bool { return f.Severity == severity }) {
			return string(severity)
		}
	}
	return ""
}

// auditedGuard writes a row for each decision of a guard that is more than "there
// is nothing against it", when it is made: a call that waits for an approval has
// its row at once, and no other as long as the same is decided about it. A plain
// allow stands in the row of the call.
type auditedGuard struct {
	app   *App
	guard guard.Guard
}

var _ guard.Guard = auditedGuard{}

// Check implements guard.Guard.
func (g auditedGuard) Check(ctx context.Context, call guard.Call) (guard.Decision, error) {
	decision, err := g.guard.Check(ctx, call)
	if err == nil && decision.Verdict == guard.Allow && len(decision.Findings) == 0 {
		return decision, nil
	}
	outcome, detail := string(decision.Verdict), []string{}
	if err != nil {
		outcome, detail = string(guard.Deny), append(detail, "the check failed: "+err.Error())
	}
	for _, finding := range decision.Findings {
		detail = append(detail, finding.ID)
	}
	if decision.ApprovalID != "" {
		detail = append(detail, "approval "+decision.ApprovalID)
	}
	if decision.Reason != "" {
		detail = append(detail, decision.Reason)
	}
	c := call.Call
	row := &models.Audit{
		Kind: models.AuditDecision, UserID: c.UserID, ProjectID: c.ProjectID, ConversationID: c.ConversationID,
		RunID: c.RunID, RootRunID: c.RootRunID, CallID: c.ID, AgentPath: c.AgentPath, Tool: c.Tool,
		Arguments: g.app.coveredArguments(call.Args), Outcome: outcome, Severity: worst(decision.Findings),
		Detail: g.app.Redactor.String(strings.Join(detail, "; ")),
	}
	// A call that waits is judged at every look at it, and once more when it was decided on.
	known := false
	if decision.Verdict == guard.NeedsApproval {
		var failed error
		if known, failed = g.app.Store.DecisionAudited(context.WithoutCancel(ctx), row); failed != nil {
			g.app.Logger.Warn("a decision may be in the audit twice", "call", row.CallID, "error", failed)
		}
	}
	if !known {
		g.app.append(ctx, row)
	}
	return decision, err
}

// coveredArguments are a call's arguments as the audit has them.
func (a *App) coveredArguments(args map[string]any) string {
	text, err := tools.Canonical(args)
	if err != nil {
		return "{}"
	}
	if a.Redactor.String(string(text)) != string(text) {
		if text, err = json.Marshal(a.Redactor.Value(args)); err != nil {
			return "{}"
		}
	}
	return store.ShortArguments(string(text), int(a.Live.Current().Retention.AuditText.Bytes()))
}

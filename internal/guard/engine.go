package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"nanoclaw/internal/tools"
)

// Options are what an Engine is built of.
type Options struct {
	Settings func() Settings // required; read at every check
	Ledger   Ledger          // nil: nothing was approved before, and there are no limits of calls
	// Role is the role of a user ("admin", "user"). Nil, and an error: no role, for
	// which no permission counts that names roles.
	Role func(ctx context.Context, userID string) (string, error)
	// ProjectDir is the directory of a call's project; nil, and an error: it is not
	// known, and only absolute paths lead to what is the server's own.
	ProjectDir func(ctx context.Context, userID, projectID string) (string, error)
	// RealPath is where a path of a project leads, links followed; empty: nowhere, the
	// tool will refuse it. Nil: paths lead where they say. An error denies the call.
	RealPath func(ctx context.Context, projectID, path string) (string, error)
	// Mode is the permission mode of a call's conversation. Nil: ModeAuto. An error denies the call.
	Mode   func(ctx context.Context, call tools.Call) (string, error)
	Logger *slog.Logger // nil: slog.Default()
}

// Engine is the guard: it asks every guardian about a call and decides by level.
type Engine struct {
	settings  func() Settings
	ledger    Ledger
	mode      func(ctx context.Context, call tools.Call) (string, error)
	log       *slog.Logger
	guardians []guardian
}

var _ Guard = (*Engine)(nil)

// guardian looks for one kind of danger. It must not change what it is given.
type guardian interface {
	name() string
	check(ctx context.Context, in *inspection) ([]finding, error)
}

// finding is a Finding with what its rule wants.
type finding struct {
	Finding
	deny   bool   // no person can approve it
	reason string // of a denial, for the model; empty: made of the message
}

// New builds an Engine.
func New(o Options) (*Engine, error) {
	if o.Settings == nil {
		return nil, errors.New("build the guard: Settings is missing")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Mode == nil {
		o.Mode = func(context.Context, tools.Call) (string, error) { return ModeAuto, nil }
	}
	e := &Engine{settings: o.Settings, ledger: o.Ledger, mode: o.Mode, log: o.Logger}
	e.guardians = []guardian{permissionGuardian{o.Role, o.RealPath}, limitGuardian{e.ledger}, pathGuardian{o.ProjectDir,
		o.RealPath}, ruleGuardian{}, evasionGuardian{}}
	return e, nil
}

// Check implements Guard. It returns an error only for the end of ctx and for a
// ledger that cannot be read.
func (e *Engine) Check(ctx context.Context, call Call) (Decision, error) {
	settings := e.settings()
	if settings.compiled == nil {
		var err error
		if settings, err = settings.Compile(); err != nil {
			return e.broken(ctx, call, "settings", err), nil
		}
	}
	in := &inspection{call: call, settings: settings, rules: settings.compiled}
	if settings.compiled.deniedTools.match(call.Tool.Name) {
		return Decision{Verdict: Deny,
			Reason: fmt.Sprintf("the tool %s is switched off by the administrator (guard.denied_tools); do without it",
				call.Tool.Name)}, nil
	}
	mode, err := e.mode(ctx, call.Call)
	if err != nil {
		if ctx.Err() != nil {
			return Decision{}, context.Cause(ctx)
		}
		return e.broken(ctx, call, "mode", err), nil
	}
	in.mode = mode
	refused, asked := judgeByMode(mode, call.Tool)
	if refused != "" {
		return Decision{Verdict: Deny, Reason: refused}, nil
	}
	var findings []finding
	for _, guardian := range e.guardians {
		found, err := e.consult(ctx, guardian, in)
		if err != nil {
			if ctx.Err() != nil {
				return Decision{}, context.Cause(ctx)
			}
			return e.broken(ctx, call, guardian.name(), err), nil
		}
		findings = append(findings, found...)
	}
	findings = settings.compiled.enabled(findings)
	slices.SortStableFunc(findings, func(a, b finding) int { return cmp.Compare(b.Severity.rank(), a.Severity.rank()) })
	return e.decide(ctx, in, findings, asked)
}

// consult asks one guardian. A panic is an error.
func (e *Engine) consult(ctx context.Context, g guardian, in *inspection) (found []finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the guardian %s panicked: %v\n%s", g.name(), p, debug.Stack())
		}
	}()
	found, err = g.check(ctx, in)
	for i := range found {
		found[i].Guardian = g.name()
	}
	return found, err
}

// broken is the answer where the check itself fails: closed.
func (e *Engine) broken(ctx context.Context, call Call, guardian string, err error) Decision {
	e.log.ErrorContext(ctx, "a guardian failed, the call is denied", "guardian", guardian, "tool", call.Tool.Name,
		"call_id", call.Call.ID, "run_id", call.Call.RunID, "error", err)
	return Decision{Verdict: Deny,
		Reason: fmt.Sprintf(
			"the security check of this call failed (guardian %s), so it was not run; tell the user, who finds the "+
				"cause in the server's log", guardian)}
}

// decide is the verdict on a call. byMode says why the conversation's permission mode asks, whatever was found.
func (e *Engine) decide(ctx context.Context, in *inspection, findings []finding, byMode string) (Decision, error) {
	decision := Decision{Findings: shown(findings)}
	for _, f := range findings {
		if f.deny {
			decision.Verdict, decision.Reason = Deny, f.denial()
			return decision, nil
		}
	}
	level := in.settings.Guard.Level
	why, setting := in.asking(findings, byMode)
	if why == "" && knownLevel(level) {
		decision.Verdict = Allow
		return decision, nil
	}
	decision.Verdict = NeedsApproval
	decision.Reason = "a person has to approve this call: " + cmp.Or(why, "the security level is unknown")
	decision.Setting = setting
	decision.Coverages = in.coverages(findings, level == Strict || in.guarded() || byMode != "")
	if e.ledger == nil || in.call.Granted != nil && in.call.Granted.Approved {
		return decision, nil
	}
	permissions, err := e.ledger.Standing(ctx, in.call.Call, in.call.Tool.Name, ArgumentsHash(in.call.Tool.Name,
		in.call.Canonical))
	if err != nil {
		return Decision{}, fmt.Errorf("look for an earlier approval of this call: %w", err)
	}
	for _, permission := range permissions {
		if permission.Coverage.IncludesOneOf(decision.Coverages) {
			return Decision{Verdict: Preapproved, Findings: decision.Findings, ApprovalID: permission.ApprovalID,
				Permission: fmt.Sprintf("%s (%s)", permission.ID, permission.Coverage)}, nil
		}
	}
	return decision, nil
}

// asking says why a person has to decide, and which setting wants that where no finding
// does; empty: nothing asks.
func (in *inspection) asking(findings []finding, byMode string) (why, setting string) {
	level := in.settings.Guard.Level
	if i := slices.IndexFunc(findings, func(f finding) bool { return asks(level, f.Severity) }); i >= 0 {
		return findings[i].Message, ""
	}
	switch {
	case level == Strict:
		return "the security level is strict: every call asks", "level.strict"
	case level != Off && in.guarded():
		return fmt.Sprintf("the tool %s always asks (guard.guarded_tools)", in.call.Tool.Name), "guarded_tool"
	case byMode != "":
		return byMode, "mode." + in.mode
	}
	return "", ""
}

// guarded says whether calls of the tool always ask.
func (in *inspection) guarded() bool { return in.rules.guardedTools.match(in.call.Tool.Name) }

func knownLevel(level string) bool {
	return level == Strict || level == Smart || level == Auto || level == Off
}

// denial is what the model is told.
func (f finding) denial() string {
	if f.reason != "" {
		return f.reason
	}
	return fmt.Sprintf(
		"%s (rule %s). No approval can allow it: reach the goal in another way, or tell the user why it cannot be done",
		strings.TrimSuffix(f.Message, "."), f.ID)
}

// maxFindings bounds what a person has to read, and what is stored.
const maxFindings = 20

func shown(findings []finding) []Finding {
	var list []Finding
	seen := map[[2]string]bool{}
	for _, f := range findings {
		if key := [2]string{f.ID, f.Evidence}; !seen[key] && len(list) < maxFindings {
			seen[key] = true
			list = append(list, f.Finding)
		}
	}
	return list
}

package executor

import (
	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// Preview is what a call would run with, as far as an approval is about it.
type Preview struct {
	Arguments string // the caller's own, as canonical JSON
	Shown     string // the same with secrets covered
	Hash      string // guard.ArgumentsHash of what the tool would get: presets and context values included
}

// Preview looks at the arguments of a call without running or judging it. The
// error says what to mend: it is what the model would be told.
func (e *Executor) Preview(env Env, inv tools.Invocation) (Preview, error) {
	r := &batchRun{Executor: e, env: env, limits: e.limits().complete()}
	t := &task{inv: inv, shown: inv}
	if err := r.understand(t); err != nil {
		return Preview{}, err
	}
	own, _, err := tools.ParseArguments(inv.Arguments)
	if err != nil {
		return Preview{}, err
	}
	strip(t.tool, own)
	canonical, err := tools.Canonical(own)
	if err != nil {
		return Preview{}, err
	}
	return Preview{Arguments: string(canonical), Shown: t.shown.Arguments, Hash: guard.ArgumentsHash(t.tool.Name,
		t.canonical)}, nil
}

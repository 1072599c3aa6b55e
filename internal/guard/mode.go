package guard

import (
	"fmt"
	"slices"

	"nanoclaw/internal/tools"
)

// The permission modes of a conversation. None allows what the level of the guard would
// ask about, or what is denied: a mode only takes away.
const (
	ModeAuto  = "auto"  // what the level allows
	ModeEdits = "edits" // of what changes something, only edits of files do not ask
	ModeAsk   = "ask"   // what changes something asks
	ModePlan  = "plan"  // what changes something is refused
)

// ModeOf is the mode that a stored one stands for.
func ModeOf(stored string) string {
	if stored == "" {
		return ModeAuto
	}
	return stored
}

// StricterMode is the one of two modes that takes away more.
func StricterMode(a, b string) string {
	a, b = ModeOf(a), ModeOf(b)
	order := []string{ModeAuto, ModeEdits, ModeAsk, ModePlan}
	if i, j := slices.Index(order, a), slices.Index(order, b); i >= 0 && (j < 0 || j > i) {
		return b
	}
	return a
}

// ReadOnly says whether a tool changes nothing by itself. What the sub-agents of one
// call is judged on its own.
func ReadOnly(tool *tools.Tool) bool {
	return slices.Contains([]tools.EffectKind{tools.Pure, tools.Reads, tools.External, tools.Volatile, tools.Resumes},
		tool.Effect)
}

// edits says whether a tool writes files of the project and does nothing else: it is one
// of the file tools, and deletes none.
func edits(tool *tools.Tool) bool {
	return tool.Category == "file" && !tool.AnyFile && len(tool.Files) > 0 &&
		!slices.ContainsFunc(tool.Files, func(f tools.FileArgument) bool {
			return slices.Contains(f.Operations, tools.FileDelete)
		})
}

// judgeByMode says what a mode makes of a call: refused is why it may not run, asked why
// a person has to decide. An unknown mode refuses.
func judgeByMode(mode string, tool *tools.Tool) (refused, asked string) {
	switch {
	case mode == ModeAuto, slices.Contains([]string{ModeEdits, ModeAsk, ModePlan}, mode) && ReadOnly(tool):
		return "", ""
	case mode == ModePlan:
		return fmt.Sprintf("%s would change something, and the user has chosen plan mode: only look, then answer "+
			"with a plan that the user can accept", tool.Name), ""
	case mode == ModeEdits && edits(tool):
		return "", ""
	case mode == ModeEdits:
		return "", "in this conversation everything asks that changes more than files (permission mode edits)"
	case mode == ModeAsk:
		return "", "in this conversation everything asks that changes something (permission mode ask)"
	}
	return fmt.Sprintf("the permission mode %q of this conversation is unknown", mode), ""
}

// Package commandpolicy decides from a parsed command line whether it may run, by an
// allow-list or a deny-list of commands. It is a courtesy and an early answer; the
// isolation of package sandbox is the boundary.
package commandpolicy

import (
	"fmt"
	"slices"
	"strings"

	"nanoclaw/internal/shellanalysis"
)

// Modes of a policy.
const (
	AllowList = "allowlist" // only commands of Allow run
	DenyList  = "denylist"  // all but those of Deny
)

// Policy is what may run.
type Policy struct {
	Mode  string
	Allow []string // "git", "git log"
	Deny  []string // in either mode
}

// RefusedError says why a command line does not run.
type RefusedError struct {
	Message string
	// Undecided says that a person may allow it: a deny-list cannot tell.
	Undecided bool
}

func (e *RefusedError) Error() string { return e.Message }

// ErrorCode is the code that a tool call answers with.
func (e *RefusedError) ErrorCode() string { return "blocked" }

// harmless builtins run nothing and reach nothing: an allow-list need not name them.
var harmless = []string{
	"cd", "pwd", "echo", "printf", "true", "false", ":", "test", "[", "read", "wait", "exit", "return", "shift",
	"break", "continue", "local", "set", "unset",
	"export", "declare", "typeset", "readonly", "let", "history", "jobs", "umask", "dirs", "pushd", "popd", "type",
	"times", "getopts",
}

// unsafeVariables make an allowed program run another one.
var unsafeVariables = []string{
	"PATH", "LD_", "BASH_", "ENV", "IFS", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "PS4", "GIT_", "SSH_", "EDITOR",
	"VISUAL", "PAGER", "MANPAGER", "LESSOPEN",
	"LESSCLOSE", "PYTHON", "NODE_", "NPM_", "PERL", "RUBY", "JAVA_TOOL_OPTIONS", "GCONV_PATH", "HOME", "XDG_",
}

// Check applies the lists: it returns a *RefusedError for a line that may not run, and a
// *shellanalysis.SyntaxError for one that the shell refuses. Both mean that it must not
// run. What a deny-list cannot decide is undecided, and comes only where nothing is
// refused for certain; what an allow-list cannot decide is refused.
func (p Policy) Check(line string) error {
	if p.Mode == DenyList && len(p.Deny) == 0 {
		_, err := shellanalysis.Parse(line)
		return err
	}
	analysis := shellanalysis.Analyze(line)
	if analysis.SyntaxError != nil {
		return analysis.SyntaxError
	}
	var undecided error
	for i := range analysis.Calls {
		err := p.check(&analysis.Calls[i], analysis.Functions)
		if refused, ok := err.(*RefusedError); ok && refused.Undecided {
			undecided = err
		} else if err != nil {
			return err
		}
	}
	for _, gap := range analysis.NotUnderstood {
		refused := refusedf("%q is refused: %s, so the list of commands (%s) cannot be applied; write the command out",
			shortened(gap.Evidence), gap.Message, p.list())
		refused.Undecided = p.Mode == DenyList
		if undecided == nil || !refused.Undecided {
			undecided = refused
		}
	}
	return undecided
}

// list is the name of the list that decides, for messages.
func (p Policy) list() string {
	if p.Mode == DenyList {
		return "shell.deny"
	}
	return "shell.allow"
}

func (p Policy) check(call *shellanalysis.Call, functions []string) error {
	for _, pattern := range p.Deny {
		if call.MayBe(pattern) {
			return refusedf("%q is refused: %q is on the deny-list (shell.deny)", shortened(call.String()), pattern)
		}
	}
	if p.Mode == DenyList {
		return p.undecidedCall(call)
	}
	if call.Opaque != "" {
		return refusedf("%q is refused: %s, so the allow-list (shell.allow) cannot be applied; write the command out",
			shortened(call.String()), call.Opaque)
	}
	for _, variable := range call.Variables {
		if name, _, _ := strings.Cut(variable.Text, "="); isUnsafe(name) {
			return refusedf("setting %s is refused: it makes programs of the allow-list (shell.allow) run others", name)
		}
	}
	if len(call.Words) == 0 {
		return nil // sets variables or opens a file, and runs nothing
	}
	name := call.Words[0].Text
	if !call.Words[0].Dynamic && (slices.Contains(harmless, name) || slices.Contains(functions, name)) ||
		slices.ContainsFunc(p.Allow, call.Is) && !runsOnItsOwn(call) {
		return nil
	}
	return refusedf("%q is refused: it is not on the allow-list (shell.allow), which holds %s",
		shortened(call.String()), listed(p.Allow))
}

// undecidedCall is the answer of a deny-list about a call that it does not name.
func (p Policy) undecidedCall(call *shellanalysis.Call) error {
	reason := call.Opaque
	if i := slices.IndexFunc(p.Deny, func(pattern string) bool {
		return call.Open && beginsWith(pattern,
			call.Name())
	}); i >= 0 {
		reason = fmt.Sprintf("it gets words that are not known, which may make it %q", p.Deny[i])
	}
	if reason == "" {
		return nil
	}
	refused := refusedf("%q is refused: %s, so the deny-list (shell.deny) cannot be applied; write the command out",
		shortened(call.String()), reason)
	refused.Undecided = true
	return refused
}

// runsOnItsOwn says whether an allowed program does more by its options than its name
// says: find deletes.
func runsOnItsOwn(call *shellanalysis.Call) bool {
	return call.Name() == "find" && slices.ContainsFunc(call.Words, func(w shellanalysis.Word) bool {
		return w.Text == "-delete" || strings.HasPrefix(w.Text, "-fprint") || w.Text == "-fls"
	})
}

// isUnsafe says whether a variable makes programs run others.
func isUnsafe(name string) bool {
	return slices.ContainsFunc(unsafeVariables, func(prefix string) bool {
		return name == prefix || strings.HasSuffix(prefix, "_") && strings.HasPrefix(name, prefix) ||
			len(prefix) >= 4 && prefix != "PATH" && prefix != "HOME" && strings.HasPrefix(name, prefix)
	})
}

// beginsWith says whether a pattern is about the words of a program.
func beginsWith(pattern, program string) bool {
	words := strings.Fields(pattern)
	return len(words) > 1 && words[0] == program
}

func refusedf(format string, args ...any) *RefusedError {
	return &RefusedError{Message: fmt.Sprintf(format, args...)}
}

func listed(patterns []string) string {
	if len(patterns) == 0 {
		return "nothing"
	}
	return shortened(strings.Join(patterns, ", "))
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// Package commandpolicy decides from a parsed command line whether it may run:
// by an allow-list or a deny-list of commands, and by the built-in rules of
// destructive ones. It is a courtesy and an early answer; the isolation of
// package sandbox is the boundary.
package commandpolicy

import (
	"fmt"
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
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
	Rule    string // id of a built-in rule; empty: a list decided
	Message string
	// Undecided says that a person may allow it: a deny-list cannot tell, or a rule
	// asks.
	Undecided bool
}

func (e *RefusedError) Error() string { return e.Message }

// ErrorCode is the code that a tool call answers with.
func (e *RefusedError) ErrorCode() string { return "blocked" }

// harmless builtins run nothing and reach nothing: an allow-list need not name them.
var harmless = []string{
	"cd", "pwd", "echo", "printf", "true", "false", ":", "test", "[", "read", "wait", "exit", "return", "shift", "break", "continue", "local", "set", "unset",
	"export", "declare", "typeset", "readonly", "let", "history", "jobs", "umask", "dirs", "pushd", "popd", "type", "times", "getopts",
}

// poisonous variables make an allowed program run another one.
var poisonous = []string{
	"PATH", "LD_", "BASH_", "ENV", "IFS", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "PS4", "GIT_", "SSH_", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN",
	"LESSCLOSE", "PYTHON", "NODE_", "NPM_", "PERL", "RUBY", "JAVA_TOOL_OPTIONS", "GCONV_PATH", "HOME", "XDG_",
}

// Check returns a *RefusedError for a line that may not run, and a
// *shellsyntax.SyntaxError for one that cannot be understood. Both mean that it
// must not run. A RefusedError that is undecided comes only where nothing is
// refused for certain.
func (p Policy) Check(line string) error {
	if err := p.Rules(line); err != nil && !err.Undecided {
		return err
	}
	if err := p.Lists(line); err != nil {
		return err
	}
	if err := p.Rules(line); err != nil {
		return err
	}
	return nil
}

// Rules applies the built-in rules of dangerous commands; nil: none holds. Where
// several do, one that is not undecided is the answer.
func (p Policy) Rules(line string) *RefusedError {
	var asks *RefusedError
	analysis := shellsyntax.Analyze(line)
	defer analysis.Release()
	for _, danger := range analysis.Dangers {
		if danger.Rule.Action == "deny" && !danger.Guess {
			return &RefusedError{Rule: danger.Rule.ID, Message: fmt.Sprintf("the command is refused (rule %s): %q: %s. No approval can allow it", danger.Rule.ID, shortened(danger.Evidence), danger.Rule.Message)}
		}
		if asks == nil {
			asks = &RefusedError{Rule: danger.Rule.ID, Undecided: true, Message: fmt.Sprintf("the command needs the approval of a person (rule %s): %q: %s", danger.Rule.ID, shortened(danger.Evidence), danger.Rule.Message)}
		}
	}
	if asks == nil && analysis.Overflow {
		asks = &RefusedError{Rule: "evasion.unparsable", Undecided: true, Message: "the command needs the approval of a person: it is too long, or too involved, to be looked at"}
	}
	return asks
}

// Lists applies the allow-list or the deny-list. What a deny-list cannot decide is
// undecided; what an allow-list cannot decide is refused.
func (p Policy) Lists(line string) error {
	script, err := shellsyntax.Parse(line)
	if err != nil || p.Mode == DenyList && len(p.Deny) == 0 {
		return err
	}
	if len(line) > shellsyntax.MaxSource {
		refused := refusedf("the command is longer than %d bytes, so the lists of commands (shell.allow, shell.deny) cannot be applied; write the rest into a script", shellsyntax.MaxSource)
		refused.Undecided = p.Mode == DenyList
		return refused
	}
	var undecided error
	functions := script.Functions()
	for _, command := range script.Commands() {
		err := p.check(command, functions)
		if refused, ok := err.(*RefusedError); ok && refused.Undecided {
			undecided = err
		} else if err != nil {
			return err
		}
	}
	return undecided
}

func (p Policy) check(command shellsyntax.Command, functions []string) error {
	for _, pattern := range p.Deny {
		if command.Denied(pattern) {
			return refusedf("%q is refused: %q is on the deny-list (shell.deny)", shortened(command.String()), pattern)
		}
	}
	if p.Mode == DenyList {
		if i := slices.IndexFunc(p.Deny, func(pattern string) bool { return command.Open && beginsWith(pattern, command.Name()) }); i >= 0 {
			refused := refusedf("%q is refused: it gets words that are not known, which may make it %q of the deny-list (shell.deny); write the command out", shortened(command.String()), p.Deny[i])
			refused.Undecided = true
			return refused
		}
		if command.Opaque != "" && len(p.Deny) > 0 {
			refused := refusedf("%q is refused: %s, so the deny-list (shell.deny) cannot be applied; write the command out", shortened(command.String()), command.Opaque)
			refused.Undecided = true
			return refused
		}
		return nil
	}
	if command.Opaque != "" {
		return refusedf("%q is refused: %s, so the allow-list (shell.allow) cannot be applied; write the command out", shortened(command.String()), command.Opaque)
	}
	for _, name := range command.Assigned {
		if slices.ContainsFunc(poisonous, func(prefix string) bool {
			return name == prefix || strings.HasSuffix(prefix, "_") && strings.HasPrefix(name, prefix) || len(prefix) >= 4 && prefix != "PATH" && prefix != "HOME" && strings.HasPrefix(name, prefix)
		}) {
			return refusedf("setting %s is refused: it makes programs of the allow-list (shell.allow) run others", name)
		}
	}
	if len(command.Words) == 0 {
		return nil // sets variables or writes a file, and runs nothing
	}
	name := command.Words[0].Value
	if slices.Contains(harmless, name) || slices.Contains(functions, name) {
		return nil
	}
	if slices.ContainsFunc(p.Allow, command.Allowed) {
		return nil
	}
	return refusedf("%q is refused: it is not on the allow-list (shell.allow), which holds %s", shortened(command.String()), listed(p.Allow))
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

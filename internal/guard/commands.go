package guard

import (
	"fmt"
	"strings"

	"nanoclaw/internal/shellanalysis"
	"nanoclaw/internal/tools"
)

// commandFindings compares the calls of a command line with the rules.
func (in *inspection) commandFindings(script *shellanalysis.Analysis) []finding {
	var findings []finding
	found := map[string]bool{}
	if script.ForkBomb != "" && in.counts(scopeHost) {
		bomb := ruleHead{"shell.fork_bomb", Critical, actionDeny, "it is a function that starts itself without end"}
		findings = append(findings, bomb.finding("command", script.ForkBomb+"()"))
	}
	table := commandRules()
	for i := range script.Calls {
		s := newSubject(&script.Calls[i])
		rules := table.byName[s.name]
		if c := s.call; len(c.Variables)+len(c.Writes)+len(c.Reads) > 0 {
			rules = append(rules[:len(rules):len(rules)], table.rest...)
		}
		for _, rule := range rules {
			if found[rule.ID] || !in.counts(rule.Scope) || !rule.matches(s) {
				continue
			}
			found[rule.ID] = !s.call.Guess
			f := rule.finding("command", s.call.String())
			f.deny = f.deny && !s.call.Guess
			findings = append(findings, f)
		}
	}
	return append(findings, in.unknownPrograms(script)...)
}

// unknownPrograms looks at the arguments of programs that no table knows: one may be a
// command that the program runs.
func (in *inspection) unknownPrograms(script *shellanalysis.Analysis) []finding {
	var findings []finding
	for i := range script.Calls {
		call := &script.Calls[i]
		if name := call.Name(); name == "" || isKnownProgram(name) || len(call.Words) < 2 || len(call.Words) > 40 {
			continue
		}
		for at := range call.Words[1:] {
			lines := []shellanalysis.Call{{Words: call.Words[at+1:], Guess: true}}
			if text := call.Words[at+1].Text; strings.Contains(text, " ") {
				lines = append(lines, shellanalysis.Analyze(text).Calls...)
			}
			if danger := in.dangerIn(lines); danger != nil {
				findings = append(findings, *danger)
				break
			}
		}
	}
	return findings
}

// dangerIn is a rule that one of some calls matches, of those that are about a program;
// nil: none.
func (in *inspection) dangerIn(calls []shellanalysis.Call) *finding {
	for i := range calls {
		s := newSubject(&calls[i])
		for _, rule := range commandRules().byName[s.name] {
			if in.counts(rule.Scope) && rule.Severity.rank() >= Medium.rank() && rule.matches(s) {
				f := rule.finding("command", s.call.String())
				f.deny, f.Message = false, "a program that is not known gets a command, which it may run: "+f.Message
				return &f
			}
		}
	}
	return nil
}

// isKnownProgram says whether a table names a program.
func isKnownProgram(name string) bool {
	return commandRules().byName[name] != nil || programTable().knows(name)
}

// RefuseCommand says why a command line does not run by the built-in rules; empty: it
// may. A line that was judged before is refused only where no approval can allow it.
func RefuseCommand(settings Settings, line string, judged bool) string {
	in := &inspection{settings: settings, analyzed: true, script: shellanalysis.Analyze(line)}
	in.call.Tool = &tools.Tool{Name: shellTool}
	findings := append(in.commandFindings(in.script), in.evasionFindings()...)
	for _, f := range findings {
		if f.deny {
			return fmt.Sprintf("the command is refused (rule %s): %q: %s. No approval can allow it", f.ID, f.Evidence,
				f.Message)
		}
	}
	for _, f := range findings {
		if !judged && f.Severity.rank() >= Low.rank() {
			return fmt.Sprintf("the command needs the approval of a person (rule %s): %q: %s", f.ID, f.Evidence,
				f.Message)
		}
	}
	return ""
}

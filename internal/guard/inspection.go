package guard

import (
	"unicode/utf8"

	"nanoclaw/internal/shellanalysis"
)

// inspection is one call as the guardians see it. What several of them need is worked
// out once.
type inspection struct {
	call     Call
	settings Settings
	rules    *rulebook
	mode     string // the permission mode of the conversation

	analyzed bool
	script   *shellanalysis.Analysis // of a shell command; nil: the call has none
}

// Names of the tools that the guard knows by what they do.
const (
	shellTool  = "shell_execute"
	pythonTool = "execute_python"
)

func (in *inspection) text(argument string) string {
	text, _ := in.call.Args[argument].(string)
	return text
}

// isShell says whether a call runs a shell command.
func (in *inspection) isShell() bool {
	return in.call.Tool.Name == shellTool || in.call.Tool.Command != nil
}

// line is the shell command of a call; empty: it has none.
func (in *inspection) line() string {
	switch tool := in.call.Tool; {
	case tool.Name == shellTool:
		return in.text("command")
	case tool.Command != nil:
		return tool.Command(in.call.Args)
	}
	return ""
}

// shell is what the command line of a call would do; nil where the call has none.
func (in *inspection) shell() *shellanalysis.Analysis {
	if !in.analyzed {
		in.analyzed = true
		if line := in.line(); line != "" {
			in.script = shellanalysis.Analyze(line)
		}
	}
	return in.script
}

// maxCode is the size of the code that is looked at, in bytes.
const maxCode = 256 << 10

// codes are the texts that interpreters would run.
func (in *inspection) codes() []shellanalysis.Code {
	if in.call.Tool.Name == pythonTool {
		text := in.text("code")
		return []shellanalysis.Code{{Language: "python", Text: text[:min(len(text), maxCode)]}}
	}
	if script := in.shell(); script != nil {
		return script.Codes
	}
	return nil
}

// Scopes of rules: where a rule counts beside policy host.
const (
	scopeHost    = ""        // nowhere else
	scopeSandbox = "sandbox" // everywhere: what it is about outlives a sandbox
	scopeNetwork = "network" // where the sandbox may reach hosts
)

// counts says whether a rule of a scope counts where the call would run.
func (in *inspection) counts(scope string) bool {
	isolated := in.settings.ShellIsolated
	if in.call.Tool.Name == pythonTool {
		isolated = in.settings.PythonIsolated
	}
	return !isolated || scope == scopeSandbox || scope == scopeNetwork && in.settings.ShellNetwork
}

// maxEvidence is how much of the arguments a finding quotes, in bytes.
const maxEvidence = 200

func evidence(text string) string {
	if len(text) <= maxEvidence {
		return text
	}
	cut := maxEvidence
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

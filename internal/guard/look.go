package guard

import (
	"unicode/utf8"

	"nanoclaw/internal/shellsyntax"
)

// look is one call as the guardians see it. What several of them need is worked
// out once.
type look struct {
	call     Call
	settings Settings
	rules    *rulebook

	parsed bool
	script *shellsyntax.Analysis // of a shell command; nil: the call has none

	scanned bool
	scans   []*scan // of the code of the call
}

// Names of the tools that the guard knows by what they do.
const (
	shellTool  = "shell_execute"
	pythonTool = "execute_python"
)

func (l *look) text(argument string) string {
	text, _ := l.call.Args[argument].(string)
	return text
}

// shell is what the command line of a call means; nil where the call has none.
func (l *look) shell() *shellsyntax.Analysis {
	if !l.parsed {
		l.parsed = true
		if line := l.text("command"); l.call.Tool.Name == shellTool && line != "" {
			l.script = shellsyntax.Analyze(line)
		}
	}
	return l.script
}

// release gives back the memory of what was worked out.
func (l *look) release() {
	if l.script != nil {
		l.script.Release()
	}
	for _, scan := range l.scans {
		for _, line := range scan.lines {
			line.Release()
		}
	}
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

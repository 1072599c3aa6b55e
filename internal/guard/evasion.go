package guard

import (
	"context"

	"nanoclaw/internal/shellsyntax"
)

// evasionGuardian looks for commands that are written so that they do not look
// like what they are.
type evasionGuardian struct{}

func (evasionGuardian) name() string { return "evasion" }

// severities of the kinds of oddities.
var severities = map[shellsyntax.Kind]Severity{
	shellsyntax.Substitution: High, shellsyntax.ObfuscatedWord: High, shellsyntax.IFS: High, shellsyntax.Indirection: Medium, shellsyntax.Encoded: High,
	shellsyntax.Unicode: High, shellsyntax.Newline: Medium, shellsyntax.Glob: High,
}

func (evasionGuardian) check(_ context.Context, look *look) ([]finding, error) {
	script := look.shell()
	if script == nil {
		return nil, nil
	}
	var findings []finding
	for _, odd := range script.Oddities {
		severity := severities[odd.Kind]
		if odd.Minor {
			severity = Info
		}
		findings = append(findings, evasive(string(odd.Kind), severity, odd.Message, odd.Evidence))
	}
	switch {
	case script.Overflow:
		findings = append(findings, evasive("unparsable", High, "the command is too long to be looked at", script.Source))
	case script.Refused: // the tool runs nothing of it, and says what is wrong
		findings = append(findings, evasive("unparsable", Info, "the shell will refuse the command: "+script.Err.Error(), script.Source))
	case script.Err != nil:
		findings = append(findings, evasive("unparsable", Low, "the command cannot be understood: "+script.Err.Error(), script.Source))
	}
	return findings, nil
}

func evasive(kind string, severity Severity, message, evident string) finding {
	return finding{Finding: Finding{ID: "evasion." + kind, Severity: severity, Category: "evasion", Message: message, Evidence: evidence(evident)}}
}

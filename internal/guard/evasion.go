package guard

import (
	"context"
	"slices"

	"nanoclaw/internal/shellanalysis"
)

// evasionGuardian looks for commands that are written so that they do not look like what
// they are, and for what cannot be understood.
type evasionGuardian struct{}

func (evasionGuardian) name() string { return "evasion" }

// evasionSeverities are those of remarks, by kind.
var evasionSeverities = map[shellanalysis.Kind]Severity{
	shellanalysis.SplitWord: High, shellanalysis.Separators: High, shellanalysis.Characters: High,
	shellanalysis.GlobName: High, shellanalysis.ValueRuns: High, shellanalysis.Output: High,
	shellanalysis.Encoded: High, shellanalysis.Limit: High, shellanalysis.Indirect: Medium,
	shellanalysis.LineBreak: Medium,
}

func (evasionGuardian) check(_ context.Context, in *inspection) ([]finding, error) {
	return in.evasionFindings(), nil
}

func (in *inspection) evasionFindings() []finding {
	script := in.shell()
	if script == nil {
		return nil
	}
	var findings []finding
	for _, remark := range slices.Concat(script.Obfuscations, script.NotUnderstood) {
		findings = append(findings, in.evasive(remark.Kind, remark.Message, remark.Evidence))
	}
	if err := script.SyntaxError; err != nil { // the tool runs nothing of it, and says what is wrong
		f := in.evasive(shellanalysis.Limit, "the shell will refuse the command: "+err.Error(), script.Source)
		f.Severity = Info
		findings = append(findings, f)
	}
	return findings
}

// evasive is a finding. What only makes the command hard to read is no question where it
// runs in a sandbox.
func (in *inspection) evasive(kind shellanalysis.Kind, message, evident string) finding {
	severity := evasionSeverities[kind]
	if !in.counts(scopeHost) {
		severity = Info
	}
	f := ruleHead{ID: "evasion." + string(kind), Severity: severity, Message: message}.finding("evasion", evident)
	f.deny = kind == shellanalysis.ValueRuns && severity != Info
	return f
}

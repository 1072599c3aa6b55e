package guard

import (
	"context"

	"nanoclaw/internal/shellanalysis"
)

// evasionGuardian looks for commands that are written so that they do not look like what
// they are, and for what cannot be understood.
type evasionGuardian struct{}

func (evasionGuardian) name() string { return "evasion" }

// evasionSeverities are those of obfuscations and of gaps, by kind.
var evasionSeverities = map[string]Severity{
	string(shellanalysis.SplitWord): High, string(shellanalysis.Separators): High,
	string(shellanalysis.Redefined): Medium, string(shellanalysis.Characters): High,
	string(shellanalysis.LineBreak): Medium, string(shellanalysis.GlobName): High,
	string(shellanalysis.ValueRuns): High,
	string(shellanalysis.GapOutput): High, string(shellanalysis.GapDecoded): High, string(shellanalysis.GapLimit): High,
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
	for _, o := range script.Obfuscations {
		findings = append(findings, in.evasive(string(o.Kind), o.Message, o.Evidence))
	}
	for _, gap := range script.NotUnderstood {
		findings = append(findings, in.evasive(string(gap.Kind), gap.Reason, gap.Evidence))
	}
	if err := script.SyntaxError; err != nil { // the tool runs nothing of it, and says what is wrong
		f := in.evasive("unparsable", "the shell will refuse the command: "+err.Error(), script.Source)
		f.Severity = Info
		findings = append(findings, f)
	}
	return findings
}

// evasive is a finding. What only makes the command hard to read is no question where it
// runs in a sandbox.
func (in *inspection) evasive(kind, message, evident string) finding {
	severity := evasionSeverities[kind]
	if !in.counts(scopeHost) {
		severity = Info
	}
	return finding{
		Finding: Finding{ID: "evasion." + kind, Severity: severity, Category: "evasion", Message: message,
			Evidence: evidence(evident)},
		deny: kind == string(shellanalysis.ValueRuns) && severity != Info,
	}
}

package guard

import "slices"

// Verdict is what the guard says about a call.
type Verdict string

// The verdicts.
const (
	// Deny is final: no person can approve the call.
	Deny Verdict = "deny"
	// NeedsApproval suspends the call until a person decides.
	NeedsApproval Verdict = "needs_approval"
	// Preapproved was approved before, by a person or by a rule of one.
	Preapproved Verdict = "preapproved"
	// Allow has nothing against the call.
	Allow Verdict = "allow"
)

// Severity of a finding.
type Severity string

// The severities, the worst first.
const (
	Critical Severity = "CRITICAL"
	High     Severity = "HIGH"
	Medium   Severity = "MEDIUM"
	Low      Severity = "LOW"
	Info     Severity = "INFO"
)

// rank orders severities, the worst highest. An unknown one ranks worst.
func (s Severity) rank() int {
	if rank := slices.Index([]Severity{Info, Low, Medium, High}, s); rank >= 0 {
		return rank
	}
	return 4
}

// asks says whether findings of a severity make a person decide at a level.
func asks(level string, severity Severity) bool {
	least := map[string]Severity{Auto: Low, Smart: Medium}[level]
	return level != Off && (least == "" || severity.rank() >= least.rank())
}

// Finding is one thing that a guardian noticed about a call.
type Finding struct {
	ID       string   `json:"id"`       // of the rule: "shell.command_substitution"
	Guardian string   `json:"guardian"` // who found it
	Severity Severity `json:"severity"`
	Category string   `json:"category,omitempty"`
	Message  string   `json:"message"`            // for the person who approves, and the model
	Evidence string   `json:"evidence,omitempty"` // the part of the arguments that it is about
}

// Decision is the guard's answer. Its zero value is no answer: the executor
// takes it for a denial.
type Decision struct {
	Verdict    Verdict   `json:"verdict"`
	Findings   []Finding `json:"findings,omitempty"`
	Reason     string    `json:"reason,omitempty"`      // what the model is told when the call does not run
	ApprovalID string    `json:"approval_id,omitempty"` // of the approval that this decision waits for or rests on
	// Setting is what asks where no finding does: level.strict, guarded_tool, mode.ask or mode.edits.
	Setting string `json:"setting,omitempty"`
	// Coverages are those that a standing approval of the call can have, the narrowest first.
	Coverages []Coverage `json:"coverages,omitempty"`
	// Permission names the standing approval that let the call pass, and what it covers.
	Permission string `json:"permission,omitempty"`
}

// Grant is what a person, or an approval's expiry, decided about a suspended call.
type Grant struct {
	Approved  bool   `json:"approved"`
	Arguments string `json:"arguments,omitempty"` // edited by the person, as JSON; empty: as the model sent them
	Reason    string `json:"reason,omitempty"`    // of a denial; the model sees it
	By        string `json:"by,omitempty"`        // id of the user; empty: it expired
	Hash      string `json:"hash,omitempty"`      // ArgumentsHash of what was approved; nothing else may run
}

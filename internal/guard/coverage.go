package guard

import "slices"

// What a standing approval covers, the narrowest first.
const (
	CoversCall   = "call"   // the tool with the same arguments
	CoversPrefix = "prefix" // commands that begin alike
	CoversRule   = "rule"   // calls that ask for the same reasons
	CoversTool   = "tool"   // every call of the tool
)

// Coverage says which calls of a tool a standing approval covers. Critical findings, and
// those about what the guard cannot follow, are covered by CoversCall alone.
type Coverage struct {
	Covers  string        `json:"covers" enum:"call,prefix,rule,tool" doc:"call: the tool with the same arguments. prefix: commands that begin like pattern. rule: calls that ask for no other reason than rules. tool: every call of the tool. Critical findings, and what the guard cannot follow, are covered by call alone."`
	Pattern string        `json:"pattern,omitempty" doc:"Of prefix: how the commands begin, as in npm run *."`
	Within  string        `json:"within,omitempty" enum:"sandbox,network" doc:"Of commands and Python code: it was approved for a sandbox, or for one that reaches hosts (network), and covers nothing that reaches more. Absent: it covers the host, too."`
	Tool    string        `json:"tool,omitempty" doc:"Of tools of MCP servers: the digest of the tool's definition. A tool that its server redefines asks again."`
	Rules   []CoveredRule `json:"rules,omitempty" doc:"Of prefix and rule: the rules of the guard whose findings are covered. A call with a finding of another rule asks."`
}

// CoveredRule is a rule of the guard.
type CoveredRule struct {
	ID      string `json:"id"`
	Message string `json:"message" doc:"What the rule finds, in words."`
}

// Permission is a standing approval in force.
type Permission struct {
	ID         string // of the standing approval
	ApprovalID string // of the decision that it comes from
	Coverage   Coverage
}

// maxCoveredRules is how many rules one coverage may name: a person has to read them.
const maxCoveredRules = 3

// coverages are those that include a call, the narrowest first. They are what a person
// can choose from, and what standing approvals are compared with. bySetting says that the
// call asks whatever its findings are.
func (in *inspection) coverages(findings []finding, bySetting bool) []Coverage {
	within, tool := in.within(), in.call.Tool.Definition
	list := []Coverage{{Covers: CoversCall, Within: within, Tool: tool}}
	if slices.ContainsFunc(findings, finding.alwaysAsks) {
		return list
	}
	rules := coveredRules(findings)
	if len(rules) <= maxCoveredRules {
		if pattern := in.prefix(findings); pattern != "" {
			list = append(list, Coverage{Covers: CoversPrefix, Pattern: pattern, Within: within, Rules: rules})
		}
		if len(rules) > 0 && !bySetting {
			list = append(list, Coverage{Covers: CoversRule, Within: within, Tool: tool, Rules: rules})
		}
	}
	return append(list, Coverage{Covers: CoversTool, Within: within, Tool: tool})
}

// Where the programs of a call run that a coverage is about.
const (
	withinSandbox = "sandbox"
	withinNetwork = "network" // a sandbox that may reach hosts
	withinHost    = ""
)

// places are in the order of what can be reached from there.
var places = []string{withinSandbox, withinNetwork, withinHost}

// within is where the programs of a call run.
func (in *inspection) within() string {
	switch {
	case !in.isShell() && in.call.Tool.Name != pythonTool, in.counts(scopeHost):
		return withinHost
	case in.counts(scopeNetwork):
		return withinNetwork
	}
	return withinSandbox
}

// alwaysAsks says whether only an approval of just this call covers a finding: it is
// critical, or something worse may hide behind it.
func (f finding) alwaysAsks() bool {
	hidden := f.Guardian == (evasionGuardian{}).name() || f.ID == "command.unclear"
	return f.Severity.rank() >= Critical.rank() || hidden && f.Severity.rank() > Info.rank()
}

// coveredRules are the rules of findings, each once.
func coveredRules(findings []finding) []CoveredRule {
	var rules []CoveredRule
	for _, f := range findings {
		if !slices.ContainsFunc(rules, func(rule CoveredRule) bool { return rule.ID == f.ID }) {
			rules = append(rules, CoveredRule{f.ID, f.Message})
		}
	}
	return rules
}

// Includes says whether every call that another coverage of the same tool includes is in
// this one, too.
func (c Coverage) Includes(other Coverage) bool {
	if c.Covers != other.Covers || c.Pattern != other.Pattern || c.Tool != other.Tool ||
		slices.Index(places, c.Within) < slices.Index(places, other.Within) {
		return false
	}
	return !slices.ContainsFunc(other.Rules, func(rule CoveredRule) bool {
		return !slices.ContainsFunc(c.Rules, func(mine CoveredRule) bool { return mine.ID == rule.ID })
	})
}

// IncludesOneOf says whether one of the coverages of a call is in this one: it covers the call.
func (c Coverage) IncludesOneOf(list []Coverage) bool { return slices.ContainsFunc(list, c.Includes) }

// String is the coverage in short: "prefix npm run *", "rule shell.git.push".
func (c Coverage) String() string {
	text := c.Covers
	if c.Pattern != "" {
		text += " " + c.Pattern
	}
	if c.Covers == CoversRule {
		for _, rule := range c.Rules {
			text += " " + rule.ID
		}
	}
	return text
}

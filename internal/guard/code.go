package guard

import (
	_ "embed"
	"slices"
	"sync"

	"nanoclaw/internal/shellanalysis"
)

//go:embed data/code.yaml
var codeRulesYAML []byte

// codeRule is a row of data/code.yaml: a pattern in the code of other languages. The
// sandbox is the boundary; these find what is written without disguise.
type codeRule struct {
	ruleHead  `yaml:",inline"`
	Scope     string     `yaml:"scope"`
	Languages []string   `yaml:"languages"` // none: all
	Pattern   expression `yaml:"pattern"`
	And       expression `yaml:"and"`    // matches as well
	Except    expression `yaml:"except"` // what is found does not match it
}

var codeRules = sync.OnceValue(func() []codeRule { return loadTable[[]codeRule]("code.yaml", codeRulesYAML) })

// codeFindings compares the code of a call with the rules.
func (in *inspection) codeFindings() []finding {
	var findings []finding
	if len(in.text("code")) > maxCode && in.call.Tool.Name == pythonTool {
		findings = append(findings, in.evasive(shellanalysis.Limit, "the code is too long to be looked at", ""))
	}
	for _, code := range in.codes() {
		for _, rule := range codeRules() {
			if !in.counts(rule.Scope) || len(rule.Languages) > 0 && !slices.Contains(rule.Languages, code.Language) ||
				!rule.And.holds(code.Text) {
				continue
			}
			for _, part := range rule.Pattern.FindAllString(code.Text, 50) {
				if rule.Except.Regexp != nil && rule.Except.MatchString(part) {
					continue
				}
				findings = append(findings, rule.finding("code", part))
				break
			}
		}
	}
	return findings
}

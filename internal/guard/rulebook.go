package guard

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

//go:embed rules.yaml
var rulesYAML []byte

// rulebook is what Settings compile to.
type rulebook struct {
	deniedTools  globs
	guardedTools globs
	disabled     []string
	custom       []customRule
	paths        *sensitivePaths
	permissions  permissions
}

// toolRule is a built-in rule about tools; rules.yaml says what its conditions mean.
type toolRule struct {
	ruleHead  `yaml:",inline"`
	Tool      string             `yaml:"tool"`
	Category  string             `yaml:"category"`
	Effects   []tools.EffectKind `yaml:"effects"`
	Arguments map[string]any     `yaml:"arguments"`
}

// customRule is a rule of the administrator's own.
type customRule struct {
	config.GuardRule
	tool    globs
	pattern *regexp.Regexp // nil: a command rule
}

var builtinToolRules = sync.OnceValue(func() []toolRule { return loadTable[[]toolRule]("rules.yaml", rulesYAML) })

func newRulebook(s Settings) (*rulebook, error) {
	book := &rulebook{disabled: s.Guard.DisabledRules}
	if !knownLevel(s.Guard.Level) {
		return nil, fmt.Errorf("guard.level %q is none of strict, smart, auto and off", s.Guard.Level)
	}
	var err error
	if book.deniedTools, err = newGlobs(s.Guard.DeniedTools); err != nil {
		return nil, fmt.Errorf("guard.denied_tools: %w", err)
	}
	if book.guardedTools, err = newGlobs(s.Guard.GuardedTools); err != nil {
		return nil, fmt.Errorf("guard.guarded_tools: %w", err)
	}
	for _, rule := range s.Guard.Rules {
		custom, err := newCustomRule(rule)
		if err != nil {
			return nil, fmt.Errorf("guard.rules: rule %s: %w", rule.ID, err)
		}
		book.custom = append(book.custom, custom)
	}
	if book.paths, err = newSensitivePaths(s); err != nil {
		return nil, err
	}
	if book.permissions, err = newPermissions(s); err != nil {
		return nil, err
	}
	return book, nil
}

func newCustomRule(rule config.GuardRule) (customRule, error) {
	custom := customRule{GuardRule: rule}
	var err error
	if custom.tool, err = newGlobs([]string{rule.Tool}); err != nil {
		return custom, err
	}
	switch {
	case (rule.Pattern == "") == (strings.TrimSpace(rule.Command) == ""):
		return custom, fmt.Errorf("it needs either pattern or command")
	case rule.Action != "ask" && rule.Action != "deny":
		return custom, fmt.Errorf("action %q is neither ask nor deny", rule.Action)
	case rule.Pattern != "":
		custom.pattern, err = regexp.Compile(rule.Pattern)
	}
	return custom, err
}

// enabled drops the findings of rules that are switched off. What is about
// permissions and limits has no rule and stays.
func (b *rulebook) enabled(findings []finding) []finding {
	if len(b.disabled) == 0 {
		return findings
	}
	return slices.DeleteFunc(findings, func(f finding) bool {
		if f.Guardian == (permissionGuardian{}).name() || f.Guardian == (limitGuardian{}).name() {
			return false
		}
		return slices.ContainsFunc(b.disabled, func(entry string) bool { return Disables(entry, f.ID) })
	})
}

package shellsyntax

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed rules.yaml
var rulesYAML []byte

// Rule is one kind of dangerous command. rules.yaml says what its conditions mean.
type Rule struct {
	ID            string     `yaml:"id"`
	Severity      string     `yaml:"severity"` // CRITICAL | HIGH | MEDIUM | LOW | INFO
	Action        string     `yaml:"action"`   // deny | ask
	Message       string     `yaml:"message"`  // what is bad about it
	Names         []string   `yaml:"names"`
	Flags         [][]string `yaml:"flags"`
	Without       []string   `yaml:"without"`
	Argument      pattern    `yaml:"-"`
	FlagsArgument bool       `yaml:"flags_argument"`
	First         pattern    `yaml:"-"`
	Text          pattern    `yaml:"-"`
	Except        pattern    `yaml:"-"`
	Alone         bool       `yaml:"alone"`
	WritesTo      pattern    `yaml:"-"`
	ReadsFrom     pattern    `yaml:"-"`
	PipedFrom     []string   `yaml:"piped_from"`
	Piped         bool       `yaml:"piped"`
	Setting       pattern    `yaml:"-"`
	Typed         bool       `yaml:"typed"`
	Handed        bool       `yaml:"handed"`
	Lasting       bool       `yaml:"lasting"`
	Unread        bool       `yaml:"unread"`
	Input         pattern    `yaml:"-"`
	Expands       pattern    `yaml:"-"`
	Sends         bool       `yaml:"sends"`
	Unchecked     bool       `yaml:"unchecked"`
	Shape         string     `yaml:"shape"` // fork_bomb, downloaded, git_runs: found by the program's own code

	Expressions expressions `yaml:",inline"` // what the patterns are made of

	conditions []condition // all of them hold for a command that the rule is about
}

// expressions are the patterns of a rule as the file has them.
type expressions struct {
	Argument  string `yaml:"argument"`
	First     string `yaml:"first"`
	Text      string `yaml:"text"`
	Except    string `yaml:"except"`
	WritesTo  string `yaml:"writes_to"`
	ReadsFrom string `yaml:"reads_from"`
	Setting   string `yaml:"setting"`
	Input     string `yaml:"input"`
	Expands   string `yaml:"expands"`
}

// compile makes the patterns of the expressions.
func (r *Rule) compile() error {
	x := &r.Expressions
	for _, one := range []struct {
		from string
		to   *pattern
	}{{x.Argument, &r.Argument}, {x.First, &r.First}, {x.Text, &r.Text}, {x.Except, &r.Except}, {x.WritesTo, &r.WritesTo}, {x.ReadsFrom, &r.ReadsFrom}, {x.Setting, &r.Setting}, {x.Input, &r.Input}, {x.Expands, &r.Expands}} {
		if one.from == "" {
			continue
		}
		var err error
		if *one.to, err = newPattern(one.from); err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	return nil
}

// Danger is a rule that a command line matches.
type Danger struct {
	Rule     *Rule
	Evidence string // the command
	// Guess says that it is one only if variables that the line does not set are empty.
	Guess bool
}

// Rules are the built-in rules.
func Rules() []Rule { return slices.Clone(builtinRules().all) }

// ruleTable finds the rules that may hold for a program.
type ruleTable struct {
	all    []Rule
	byName map[string][]int
	rest   []int // of rules for every program
}

var builtinRules = sync.OnceValue(func() *ruleTable {
	table, err := loadRules(rulesYAML)
	if err != nil {
		panic("shellsyntax: " + err.Error()) // the file is part of the program
	}
	return table
})

func loadRules(data []byte) (*ruleTable, error) {
	table := &ruleTable{byName: map[string][]int{}}
	if err := yaml.UnmarshalWithOptions(data, &table.all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read the built-in rules: %w", err)
	}
	seen := map[string]bool{}
	for i := range table.all {
		rule := &table.all[i]
		if err := rule.compile(); err != nil {
			return nil, err
		}
		switch {
		case rule.ID == "" || seen[rule.ID]:
			return nil, fmt.Errorf("rule %d has no id, or one that is taken: %q", i+1, rule.ID)
		case rule.Action != "deny" && rule.Action != "ask", rule.Message == "", rule.Severity == "":
			return nil, fmt.Errorf("rule %s: action, message or severity is missing", rule.ID)
		case len(rule.Names) == 0 && !rule.WritesTo.given() && !rule.ReadsFrom.given() && !rule.Setting.given() && rule.Shape == "":
			return nil, fmt.Errorf("rule %s matches everything", rule.ID)
		}
		seen[rule.ID] = true
		rule.conditions = rule.given()
		switch {
		case rule.Shape != "":
		case len(rule.Names) == 0:
			table.rest = append(table.rest, i)
		default:
			for _, name := range rule.Names {
				table.byName[name] = append(table.byName[name], i)
			}
		}
	}
	return table, nil
}

func (t *ruleTable) shaped(shape string) *Rule {
	i := slices.IndexFunc(t.all, func(r Rule) bool { return r.Shape == shape })
	return &t.all[i]
}

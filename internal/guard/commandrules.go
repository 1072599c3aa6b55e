package guard

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"nanoclaw/internal/shellanalysis"
)

//go:embed data/commands.yaml
var commandRulesYAML []byte

// ruleHead is what rules of every kind have.
type ruleHead struct {
	ID       string   `yaml:"id"`
	Severity Severity `yaml:"severity"`
	Action   string   `yaml:"action"` // deny: no person can approve it
	Message  string   `yaml:"message"`
}

func (r ruleHead) finding(category, evident string) finding {
	return finding{
		Finding: Finding{ID: r.ID, Severity: r.Severity, Category: category, Message: r.Message,
			Evidence: evidence(evident)},
		deny: r.Action == actionDeny,
	}
}

const actionDeny = "deny"

// commandRule is a row of data/commands.yaml, which says what its conditions mean.
type commandRule struct {
	ruleHead      `yaml:",inline"`
	Scope         string     `yaml:"scope"`
	Names         []string   `yaml:"names"`
	Flags         [][]string `yaml:"flags"`
	Without       []string   `yaml:"without"`
	Argument      expression `yaml:"argument"`
	FlagsArgument bool       `yaml:"flags_argument"`
	First         expression `yaml:"first"`
	Text          expression `yaml:"text"`
	Except        expression `yaml:"except"`
	Alone         bool       `yaml:"alone"`
	WritesTo      expression `yaml:"writes_to"`
	ReadsFrom     expression `yaml:"reads_from"`
	PipedFrom     []string   `yaml:"piped_from"`
	Piped         bool       `yaml:"piped"`
	Expands       expression `yaml:"expands"`
	Input         expression `yaml:"input"`
	Setting       expression `yaml:"setting"`
}

// expression is a regular expression; nil: none is given.
type expression struct{ *regexp.Regexp }

// UnmarshalText compiles the expression.
func (e *expression) UnmarshalText(text []byte) (err error) {
	e.Regexp, err = regexp.Compile(string(text))
	return err
}

// loadTable reads a table that is part of the program.
func loadTable[T any](name string, data []byte) (table T) {
	if err := yaml.Load(data, &table, yaml.WithKnownFields()); err != nil {
		panic(fmt.Sprintf("guard: read %s: %v", name, err))
	}
	return table
}

// holds says whether the expression is not given, or matches one of some texts.
func (e expression) holds(texts ...string) bool {
	return e.Regexp == nil || slices.ContainsFunc(texts, e.MatchString)
}

// commandTable finds the rules for a program.
type commandTable struct {
	all    []commandRule
	byName map[string][]*commandRule
	rest   []*commandRule // for every program
}

var commandRules = sync.OnceValue(func() *commandTable {
	table := &commandTable{
		all: loadTable[[]commandRule]("commands.yaml", commandRulesYAML), byName: map[string][]*commandRule{},
	}
	for i := range table.all {
		rule := &table.all[i]
		if len(rule.Names) == 0 {
			table.rest = append(table.rest, rule)
		}
		for _, name := range rule.Names {
			table.byName[name] = append(table.byName[name], rule)
		}
	}
	return table
})

// subject is a call as rules compare it.
type subject struct {
	call     *shellanalysis.Call
	name     string
	args     []string // cleaned
	line     string
	operands []string // args that are no flags
	writes   []string
	reads    []string
}

func newSubject(call *shellanalysis.Call) *subject {
	s := &subject{call: call, name: call.Name()}
	for _, w := range call.Words[min(1, len(call.Words)):] {
		arg := cleaned(w.Text)
		s.args = append(s.args, arg)
		if !strings.HasPrefix(arg, "-") {
			s.operands = append(s.operands, arg)
		}
	}
	s.line = strings.Join(s.args, " ")
	for _, w := range call.Writes {
		s.writes = append(s.writes, cleaned(w.Text))
	}
	for _, r := range call.Reads {
		s.reads = append(s.reads, cleaned(r.Text))
	}
	return s
}

// cleaned is a path without the detours that lead to the same place.
func cleaned(word string) string {
	if word == "" || word[0] != '/' && word[0] != '~' && !strings.HasPrefix(word, "./") {
		return word
	}
	return path.Clean(word)
}

// matches says whether every condition of a rule holds.
func (r *commandRule) matches(s *subject) bool {
	if r.Alone && (len(s.args) > 0 || len(s.call.Variables) > 0) || r.Piped && !s.call.Piped && s.call.Input == nil {
		return false
	}
	if r.Argument.Regexp != nil {
		arguments := s.operands
		if r.FlagsArgument {
			arguments = s.args
		}
		if !r.Argument.holds(arguments...) {
			return false
		}
	}
	if r.Except.Regexp != nil && r.exempt(s) {
		return false
	}
	return r.Text.holds(s.line) && r.First.holds(s.first()) && r.hasFlags(s) && r.matchesData(s)
}

// exempt applies except: to the arguments and variables; where the rule is about any
// program, to the variable or to the whole call.
func (r *commandRule) exempt(s *subject) bool {
	if r.Setting.Regexp == nil && len(r.Names) == 0 {
		return r.Except.MatchString(s.call.String())
	}
	if len(r.Names) > 0 {
		return r.Except.MatchString(s.line) || slices.ContainsFunc(s.call.Variables,
			func(w shellanalysis.Word) bool { return r.Except.MatchString(w.Text) })
	}
	return !slices.ContainsFunc(s.call.Variables, func(w shellanalysis.Word) bool {
		return r.Setting.MatchString(w.Text) && !r.Except.MatchString(w.Text)
	})
}

func (r *commandRule) hasFlags(s *subject) bool {
	for _, alternatives := range r.Flags {
		if !slices.ContainsFunc(alternatives, s.hasFlag) {
			return false
		}
	}
	return !slices.ContainsFunc(r.Without, s.hasFlag)
}

// matchesData applies the conditions on files, input and variables.
func (r *commandRule) matchesData(s *subject) bool {
	c := s.call
	if len(r.PipedFrom) > 0 && !slices.ContainsFunc(c.Sources,
		func(name string) bool { return slices.Contains(r.PipedFrom, name) }) {
		return false
	}
	if r.Input.Regexp != nil && (c.Input == nil || !r.Input.MatchString(c.Input.Text)) {
		return false
	}
	if r.Expands.Regexp != nil {
		matches := func(w shellanalysis.Word) bool { return w.Dynamic && r.Expands.MatchString(w.Text) }
		if !slices.ContainsFunc(c.Words[min(1, len(c.Words)):], matches) && (c.Input == nil || !matches(*c.Input)) {
			return false
		}
	}
	setting := func(w shellanalysis.Word) bool { return r.Setting.MatchString(w.Text) }
	return r.WritesTo.holds(s.writes...) && r.ReadsFrom.holds(s.reads...) && (r.Setting.Regexp == nil ||
		slices.ContainsFunc(c.Variables, setting))
}

// first is the first operand: a subcommand, behind the options of the program itself.
func (s *subject) first() string {
	valued := programTable().Valued[s.name]
	for i := 0; i < len(s.args); i++ {
		if !strings.HasPrefix(s.args[i], "-") {
			return s.args[i]
		}
		if slices.Contains(valued, s.args[i]) {
			i++
		}
	}
	return ""
}

// hasFlag looks for a flag: one letter also among others (-rf), a longer one also cut
// short (--recurs), as programs take it.
func (s *subject) hasFlag(flag string) bool {
	for _, arg := range s.args {
		switch {
		case len(arg) < 2 || arg[0] != '-':
		case arg == "--":
			return false
		case arg[1] == '-':
			name, _, _ := strings.Cut(arg[2:], "=")
			if len(flag) > 1 && len(name) >= 3 && strings.HasPrefix(flag, name) {
				return true
			}
		case len(flag) == 1 && strings.Contains(arg[1:], flag), arg[1:] == flag:
			return true
		}
	}
	return false
}

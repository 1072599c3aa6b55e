package redact

import (
	"errors"
	"sync/atomic"
	"unsafe"
)

// Redactor finds secrets and redacts them. It is safe for use by many goroutines.
type Redactor struct {
	rules atomic.Pointer[ruleSet]
}

// ruleSet is what a Redactor looks for at a time.
type ruleSet struct {
	labels    map[string]*label // every label that a mark may name
	detectors []*detector
	keywords  *automaton // of the detectors; nil where there are none
	customs   []*customRule
	values    atomic.Pointer[values]
	held      *label
	password  *label // of what a name promises; nil where the rule is off
	secret    *label
	key       []byte // of the ids in marks; empty: marks have none
}

// Match is a find: text[Start:End], in bytes, and the id of the rule that names it.
type Match struct {
	Rule  string
	Start int
	End   int
}

// ServerSecret is the rule id of exact values that the server holds.
const ServerSecret = "server-secret"

// New checks the options and builds a Redactor. Its error names every rule that
// is wrong.
func New(options Options) (*Redactor, error) {
	r := &Redactor{}
	return r, r.Configure(options)
}

// Configure replaces all rules and values. It may be called at any time: a text
// that is being scanned meanwhile, and a stream that has begun, keep to the old
// ones. An error names every rule that is wrong, and nothing changes. Without a
// Key the old key stays.
func (r *Redactor) Configure(options Options) error {
	if old := r.rules.Load(); old != nil && len(options.Key) == 0 {
		options.Key = old.key
	}
	rules, err := newRuleSet(options)
	if err != nil {
		return err
	}
	r.rules.Store(rules)
	return nil
}

func newRuleSet(options Options) (*ruleSet, error) {
	builtin := builtinRules()
	if err := options.check(builtin); err != nil {
		return nil, err
	}
	r := &ruleSet{labels: map[string]*label{}, key: options.Key}
	for id, rank := range builtin {
		r.labels[id] = &label{id: id, strategy: Redact, rank: rank}
	}
	if err := r.addRules(options); err != nil {
		return nil, err
	}
	r.held = r.labels[ServerSecret]
	if !options.ValuesOnly {
		on := options.active(r.labels)
		r.password, r.secret = on["password"], on["secret"]
		r.detectors = newDetectors(on)
		r.keywords = newAutomaton(r.detectors)
	}
	r.values.Store(newValues(options.Values))
	return r, nil
}

// addRules adds the administrator's rules and sets the strategies of built-in ones.
func (r *ruleSet) addRules(options Options) error {
	var errs []error
	for _, rule := range options.Rules {
		if rule.Strategy == "" {
			rule.Strategy = Redact
		}
		if rule.Pattern == "" {
			r.labels[rule.ID].strategy = rule.Strategy
			continue
		}
		r.labels[rule.ID] = &label{id: rule.ID, strategy: rule.Strategy, rank: rankCustom}
		custom, err := newCustomRule(rule, r.labels[rule.ID])
		errs = append(errs, err)
		if !options.ValuesOnly {
			r.customs = append(r.customs, custom)
		}
	}
	return errors.Join(errs...)
}

// SetValues replaces the exact values to look for: secrets of eight characters
// and more (shorter ones are ignored), which are found as they are, in base64,
// base32 and hexadecimal, and as URLs, JSON and HTML write them. It may be called at
// any time; a text that is being scanned meanwhile sees either the old or the
// new values.
func (r *Redactor) SetValues(secrets []string) {
	r.rules.Load().values.Store(newValues(secrets))
}

// String redacts what it finds in s. Where there is nothing, it returns s itself.
func (r *Redactor) String(s string) string { return r.rules.Load().string(s) }

func (r *ruleSet) string(s string) string {
	sc := r.scanText(s)
	defer sc.done()
	if len(sc.spans) == 0 {
		return s
	}
	return r.render(s, 0, len(s), merge(sc.spans))
}

// Bytes is String for bytes. Where nothing is found, it returns b itself.
func (r *Redactor) Bytes(b []byte) []byte { return r.rules.Load().bytes(b) }

func (r *ruleSet) bytes(b []byte) []byte {
	s := unsafe.String(unsafe.SliceData(b), len(b)) // read only while this call runs
	sc := r.scanText(s)
	defer sc.done()
	if len(sc.spans) == 0 {
		return b
	}
	return []byte(r.render(s, 0, len(s), merge(sc.spans)))
}

// Find returns what String redacts, in order and without overlaps.
func (r *Redactor) Find(s string) []Match {
	sc := r.rules.Load().scanText(s)
	defer sc.done()
	var matches []Match
	for _, c := range merge(sc.spans) {
		matches = append(matches, Match{Rule: c.label.id, Start: c.start, End: c.end})
	}
	return matches
}

// Count is the number of secrets that String redacts in s.
func (r *Redactor) Count(s string) int { return len(r.Find(s)) }

// Blocked reports whether s holds something that must not go out at all (a find
// of a rule with the strategy block), and the first such rule's id.
func (r *Redactor) Blocked(s string) (rule string, blocked bool) {
	sc := r.rules.Load().scanText(s)
	defer sc.done()
	for _, c := range merge(sc.spans) {
		if c.label.strategy == Block {
			return c.label.id, true
		}
	}
	return "", false
}

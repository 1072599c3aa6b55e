package redact

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Strategy says what stands in the place of a find.
type Strategy string

const (
	// Redact puts a mark in the place, with a keyed id of the secret, so that the
	// same secret can be recognised in several places and written back:
	// [REDACTED:rule-id:7f3a9c0b1d2e]. The default.
	Redact Strategy = "redact"
	// Mask keeps the first and last few characters in the mark:
	// [REDACTED:rule-id:ab********yz:7f3a9c0b1d2e].
	Mask Strategy = "mask"
	// Hash is Redact, from when its marks had no id.
	Hash Strategy = "hash"
	// Block redacts, and Blocked reports the text as one that must not go out at all.
	Block Strategy = "block"
)

// Rule is a rule of the administrator's own. With the ID of a built-in rule and
// no Pattern it sets the strategy of that rule.
type Rule struct {
	ID       string   // letters, digits, '-', '_' and '.'; at most 64
	Pattern  string   // RE2; the first group, where there is one, is what is redacted
	Strategy Strategy // empty: Redact
}

// Options say what a Redactor looks for.
type Options struct {
	Disabled []string // ids of built-in rules that are off
	Personal []string // personal data to look for: email, phone, card, ip
	Rules    []Rule   // the administrator's own

	// Values are secrets that the server holds; see Redactor.SetValues.
	Values []string
	// ValuesOnly turns off everything but Values.
	ValuesOnly bool
	// Key is the key of the ids in marks. Empty: marks have no ids, and nobody can
	// tell what they stand for.
	Key []byte
}

// label is what a find is called and how it is redacted.
type label struct {
	id       string
	strategy Strategy
	rank     int // of overlapping finds the one with the lowest rank gives its name
}

// Ranks of labels: what is known exactly names a find before what is guessed.
const (
	rankValue = iota
	rankCustom
	rankToken
	rankShape
	rankAssigned
	rankPersonal
)

// severity orders strategies: of overlapping finds the strictest strategy holds.
func (s Strategy) severity() int {
	switch s {
	case Block:
		return 3
	case Mask:
		return 0
	case Hash:
		return 1
	default:
		return 2
	}
}

func (s Strategy) check() error {
	switch s {
	case "", Redact, Mask, Hash, Block:
		return nil
	}
	return fmt.Errorf("strategy %q is not one of redact, mask, hash, block", string(s))
}

var ruleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// active are the labels of the built-in rules that are on.
func (o Options) active(labels map[string]*label) map[string]*label {
	on := map[string]*label{}
	for id, label := range labels {
		personal := label.rank == rankPersonal && !slices.Contains(o.Personal, id)
		if label.rank != rankCustom && !personal && !slices.Contains(o.Disabled, id) {
			on[id] = label
		}
	}
	return on
}

// check reports every mistake in the rules but wrong patterns at once, each with
// its rule's name.
func (o Options) check(builtin map[string]int) error {
	var errs []error
	seen := map[string]bool{}
	for i, rule := range o.Rules {
		name := fmt.Sprintf("redaction rule %q", rule.ID)
		if rule.ID == "" {
			name = fmt.Sprintf("redaction rule %d", i+1)
		}
		if !ruleID.MatchString(rule.ID) {
			errs = append(errs, fmt.Errorf("%s: an id of letters, digits, '-', '_' and '.' is needed, 64 at most",
				name))
		}
		if seen[rule.ID] {
			errs = append(errs, fmt.Errorf("%s: the id is used twice", name))
		}
		seen[rule.ID] = true
		if err := rule.Strategy.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		switch _, known := builtin[rule.ID]; {
		case known && rule.Pattern != "":
			errs = append(errs,
				fmt.Errorf("%s: the id belongs to a built-in rule; choose another one, or leave the pattern out to "+
					"set that rule's strategy", name))
		case !known && rule.Pattern == "":
			errs = append(errs, fmt.Errorf("%s: a pattern is needed", name))
		}
	}
	for _, id := range o.Personal {
		if !slices.Contains(personalRules, id) {
			errs = append(errs, fmt.Errorf("redaction: %q is not a kind of personal data; there are %s", id,
				strings.Join(personalRules, ", ")))
		}
	}
	for _, id := range o.Disabled {
		if id == ServerSecret {
			errs = append(errs,
				fmt.Errorf("redaction: rule %q cannot be disabled: the server's own secrets are always redacted", id))
		}
		if _, known := builtin[id]; !known {
			errs = append(errs, fmt.Errorf("redaction: disabled rule %q is not a built-in rule", id))
		}
	}
	return errors.Join(errs...)
}

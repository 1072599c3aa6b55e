package redact

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// anyMark is what a reader could mean as a mark: also one with a rule that is not
// known any more, one that was changed, and one that was cut off.
var anyMark = regexp.MustCompile("(?i)\\[REDACTED:[a-z0-9][^\\]\\[\\s\"'`<>]{0,160}\\]?")

// FirstMark is the first mark in a text, or what could be meant as one.
func FirstMark(text string) (mark string, found bool) {
	mark = anyMark.FindString(text)
	return mark, mark != ""
}

// markID is the id in a mark, or empty.
func markID(mark string) string {
	inside, whole := strings.CutSuffix(mark, "]")
	at := strings.LastIndexByte(inside, ':') + 1
	if !whole || at == len(markOpen) || !strings.HasPrefix(mark, markOpen) || !isHexOf(inside[at:], idLength) {
		return ""
	}
	return inside[at:]
}

// Known is what marks stand for: secrets by id, and marks that were in a text
// before redaction, which stand for themselves. A secret is empty where two share
// an id.
type Known map[string]string

func (k Known) learn(key, value string) {
	if old, taken := k[key]; taken && old != value {
		value = ""
	}
	k[key] = value
}

// value is what a mark stands for.
func (k Known) value(mark string) (string, bool) {
	if value := k[markID(mark)]; value != "" {
		return value, true
	}
	_, own := k[mark]
	return mark, own
}

// Source is a text with its secrets: what String makes marks of, and the way back.
type Source struct {
	text     string
	redacted string
	secrets  []Match
	known    Known
}

// Source finds the secrets of a text.
func (r *Redactor) Source(text string) *Source {
	rules := r.rules.Load()
	sc := rules.scanText(text)
	defer sc.done()
	s := &Source{text: text, known: Known{}}
	clusters := merge(sc.spans)
	s.redacted = rules.render(text, 0, len(text), clusters)
	for _, c := range clusters {
		s.secrets = append(s.secrets, Match{Rule: c.label.id, Start: c.start, End: c.end})
		if id := rules.id(text[c.start:c.end]); id != "" {
			s.known.learn(id, text[c.start:c.end])
		}
	}
	for _, mark := range anyMark.FindAllString(text, -1) {
		s.known.learn(mark, mark)
	}
	return s
}

// Known is what the marks in the redacted text stand for.
func (s *Source) Known() Known { return s.known }

// Redacted is what String makes of the text.
func (s *Source) Redacted() string { return s.redacted }

// Count is the number of secrets in the text.
func (s *Source) Count() int { return len(s.secrets) }

// UnresolvedError says that nobody knows what a mark stands for.
type UnresolvedError struct {
	Mark string
}

func (e *UnresolvedError) Error() string {
	return fmt.Sprintf("it is not known what %s stands for", e.Mark)
}

// Resolve puts the secrets of the source into the place of their marks in another
// text; earlier is what is known beside. A mark that the source itself has is left
// as it is. A mark that cannot be resolved is an *UnresolvedError.
func (s *Source) Resolve(text string, earlier Known) (string, error) {
	var unresolved error
	resolved := anyMark.ReplaceAllStringFunc(text, func(mark string) string {
		for _, known := range []Known{s.known, earlier} {
			if value, found := known.value(mark); found {
				return value
			}
		}
		if unresolved == nil {
			unresolved = &UnresolvedError{Mark: mark}
		}
		return mark
	})
	if unresolved != nil {
		return "", unresolved
	}
	return resolved, nil
}

// Cuts says whether text[start:end] has a part of a secret, but not all of it.
func (s *Source) Cuts(start, end int) bool {
	first := sort.Search(len(s.secrets), func(i int) bool { return s.secrets[i].End > start })
	if first == len(s.secrets) {
		return false
	}
	last := sort.Search(len(s.secrets), func(i int) bool { return s.secrets[i].Start >= end }) - 1
	return last >= first && (s.secrets[first].Start < start || s.secrets[last].End > end)
}

// Blanked is the text with every character of a secret but line breaks replaced by
// one that is in no text.
func (s *Source) Blanked() string {
	if len(s.secrets) == 0 {
		return s.text
	}
	blanked := []byte(s.text)
	for _, secret := range s.secrets {
		for i := secret.Start; i < secret.End; i++ {
			if blanked[i] != '\n' {
				blanked[i] = blankByte
			}
		}
	}
	return string(blanked)
}

// With is what is known from either of two texts. It changes neither.
func (k Known) With(other Known) Known {
	both := make(Known, len(k)+len(other))
	for _, known := range []Known{k, other} {
		for key, value := range known {
			both.learn(key, value)
		}
	}
	return both
}

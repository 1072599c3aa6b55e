package shellsyntax

import (
	"slices"
	"strings"
)

// condition is one of those that a rule has; most have two or three.
type condition func(c *told) bool

func (r *Rule) matches(c *told) bool {
	for _, holds := range r.conditions {
		if !holds(c) {
			return false
		}
	}
	return true
}

// given are the conditions of a rule, those first that are soon answered.
func (r *Rule) given() []condition {
	var list []condition
	add := func(given bool, holds condition) {
		if given {
			list = append(list, holds)
		}
	}
	add(r.Typed, func(c *told) bool { return !c.Found })
	add(r.Handed, func(c *told) bool { return c.Open })
	add(r.Unread, func(c *told) bool { return !c.Read })
	add(r.Alone, func(c *told) bool { return len(c.Words) == 1 })
	add(r.Piped, func(c *told) bool { return c.Piped })
	add(len(r.PipedFrom) > 0, func(c *told) bool {
		return slices.ContainsFunc(r.PipedFrom, func(from string) bool {
			return slices.Contains(c.PipedFrom, from) || slices.Contains(c.Substituted, from)
		})
	})
	add(r.WritesTo.given(), func(c *told) bool { return r.WritesTo.anyOf(c.writes) })
	add(r.ReadsFrom.given(), func(c *told) bool { return r.ReadsFrom.anyOf(c.reads) })
	add(r.Sends, func(c *told) bool { return !c.isProbe() })
	add(r.Expands.given(), func(c *told) bool { return c.expands(r.Expands) })
	add(r.Input.given(), func(c *told) bool { return c.Input != nil && r.Input.matches(c.Input.Value) })
	add(r.Setting.given(), func(c *told) bool { return r.Setting.anyOf(c.settings) })
	add(len(r.Without) > 0, func(c *told) bool { return !slices.ContainsFunc(r.Without, c.hasFlag) })
	add(len(r.Flags) > 0, func(c *told) bool {
		return c.flags && !slices.ContainsFunc(r.Flags, func(group []string) bool { return !slices.ContainsFunc(group, c.hasFlag) })
	})
	add(r.First.given(), func(c *told) bool { return r.First.matchesSubject(c.first()) })
	add(r.Text.given(), func(c *told) bool { return r.Text.matchesSubject(c.line()) })
	add(r.Argument.given(), r.argues)
	add(r.Lasting, r.lasts)
	add(r.Unchecked, func(c *told) bool { return !c.onlyChecks() })
	add(r.Except.given(), func(c *told) bool {
		line := c.line() // these expressions are the slowest
		return c.spend(len(line.text)/3) && !r.Except.matchesSubject(line) && !r.Except.anyOf(c.settings)
	})
	return list
}

func (r *Rule) argues(c *told) bool {
	list := c.given()
	for i := range list {
		if s := &list[i]; (r.FlagsArgument || !strings.HasPrefix(s.text, "-")) && r.Argument.matchesSubject(s) {
			return true
		}
	}
	return false
}

// lasts says whether one of the arguments that the rule is about leads to something
// that cannot be made again, as far as its name tells.
func (r *Rule) lasts(c *told) bool {
	return slices.ContainsFunc(c.Words[min(1, len(c.Words)):], func(w Word) bool {
		return !strings.HasPrefix(w.Value, "-") && r.Argument.matches(cleaned(w.Value)) && !w.temporary()
	})
}

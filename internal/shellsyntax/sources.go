package shellsyntax

import (
	"math/bits"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// sources are the programs whose output a word is made of: those in its
// substitutions, and those that the values of its variables come from. A bit stands
// for each program, in the order in which they were met.
type sources uint64

// source is the bit of a program.
func (x *expander) source(name string) sources {
	i := slices.Index(x.programs, name)
	if i < 0 {
		if i = len(x.programs); i == 64 {
			x.large = true // nobody writes such a line
			return 0
		}
		x.programs = append(x.programs, name)
	}
	return 1 << i
}

// namesOf are the programs.
func (x *expander) namesOf(s sources) []string { return x.addNames(nil, s) }

// addNames puts programs behind others that are not among them.
func (x *expander) addNames(list []string, s sources) []string {
	before := len(list)
	for ; s != 0; s &= s - 1 {
		if name := x.programs[bits.TrailingZeros64(uint64(s))]; !slices.Contains(list[:before], name) {
			list = append(list, name)
		}
	}
	return list
}

func (x *expander) sources(word *syntax.Word) sources { return x.sourcesOf(word.Parts) }

func (x *expander) sourcesOf(parts []syntax.WordPart) sources {
	var all sources
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			all |= x.sourcesOf(part.Parts)
		case *syntax.ParamExp:
			if isBareParameter(part) {
				all |= x.from(part)
			} else {
				all |= x.sourcesIn(part)
			}
		default:
			all |= x.sourcesIn(part)
		}
	}
	return all
}

// from are the programs whose output a variable holds.
func (x *expander) from(p *syntax.ParamExp) sources {
	if p.Param != nil {
		if v := x.vars[p.Param.Value]; v != nil {
			return v.from
		}
	}
	return 0
}

func (x *expander) sourcesIn(part syntax.Node) sources {
	var all sources
	syntax.Walk(part, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.ParamExp:
			all |= x.from(node)
		case *syntax.CallExpr:
			if name := nameOf(node); name != "" {
				all |= x.source(name)
			}
			for _, name := range wrappedNames(node) {
				all |= x.source(name)
			}
		}
		return x.spend(1)
	})
	return all
}

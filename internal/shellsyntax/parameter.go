package shellsyntax

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// set are variables that every shell has. Their beginnings are what tricks with
// substrings use.
var set = map[string]string{
	"PWD": ".", "TMPDIR": "/tmp", "SHELL": "/bin/bash", "BASH": "/bin/bash", "0": "bash", "IFS": " ",
}

var beginnings = map[string]string{
	"HOME": "/root", "PWD": "/", "OLDPWD": "/", "SHELL": "/bin/bash", "BASH": "/bin/bash", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "IFS": " \t\n",
	"SHELLOPTS": "braceexpand:hashall:interactive-comments", "TERM": "xterm",
}

// empty are parameters that a command line given to bash has not.
func empty(name string) bool {
	return name == "@" || name == "*" || len(name) == 1 && name[0] >= '1' && name[0] <= '9'
}

// parameter puts the value of a variable behind every alternative.
func (x *expander) parameter(list []text, p *syntax.ParamExp, quoted bool) []text {
	kind := splitByte
	if quoted {
		kind = quotedByte
	}
	if p.Param == nil {
		return x.unknown(list, p)
	}
	name := p.Param.Value
	if name == "HOME" && p.Index == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl && (p.Exp == nil || isDefault(p.Exp.Op)) && x.vars[name] == nil {
		x.each(list, "~", quotedByte)
		return list
	}
	if v := x.vars[name]; v != nil && v.items != nil && (isAll(p.Index) || name == "@" || name == "*") && p.Exp == nil && p.Repl == nil && !p.Length && !p.Excl {
		last, ok := cutItems(v.items, p)
		if !ok || p.Slice != nil && v.shuffled {
			return x.unknown(list, p)
		}
		before := list
		for _, items := range v.earlier {
			for _, t := range before {
				if len(list) >= maxAlternatives {
					x.large = true
					break
				}
				list = append(list, x.again(t))
				one, _ := cutItems(items, p)
				x.addItems(&list[len(list)-1], one, kind)
			}
		}
		for i := range before {
			x.addItems(&list[i], last, kind)
		}
		return list
	}
	values, known := x.valuesOf(p)
	unset := !known && x.vars[name] == nil && (p.Exp == nil || p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull) && !p.Length && !p.Excl
	grown := x.memory.texts.take(min(len(list)*(len(values)+1), maxAlternatives))[:0]
	most := maxAlternatives
	if !known {
		most-- // of that it is something else is never forgotten
	}
	for _, t := range list {
		for _, value := range values {
			if len(grown) >= most || !x.expand(len(value)) {
				break
			}
			one := x.again(t)
			one.add(value, kind)
			grown = append(grown, one)
		}
		if !known && len(grown) < maxAlternatives {
			for _, shown := range x.standIns(p) {
				if len(grown) < most {
					other := x.again(t)
					other.add(shown, unknownByte)
					grown = append(grown, other)
				}
			}
			one := x.again(t)
			one.add(x.shownParameter(p), unknownByte)
			one.learnt = one.learnt || x.doubted[name]
			grown = append(grown, one)
		}
		if unset && len(grown) < maxAlternatives {
			one := x.again(t)
			one.guess = true
			grown = append(grown, one)
		}
	}
	if len(grown) == 0 {
		return list
	}
	return grown
}

// standIns are other ways to write an expansion that is not known: ${!n} stands for the
// variables that n can name, and a copy of a variable for that one.
func (x *expander) standIns(p *syntax.ParamExp) []string {
	v := x.vars[p.Param.Value]
	if v == nil {
		return nil
	}
	var shown []string
	switch {
	case p.Excl && p.Names == 0 && p.Index == nil:
		names, _ := x.variable(p.Param.Value, false)
		for _, name := range names {
			if isName(name) && x.vars[name] == nil {
				shown = append(shown, "$"+name)
			}
		}
	case v.copied != "":
		shown = append(shown, "$"+v.copied)
	}
	return shown
}

func (x *expander) shownParameter(p *syntax.ParamExp) string {
	if p.Exp == nil && p.Index == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl {
		return "$" + p.Param.Value
	}
	return x.printed(p)
}

func isDefault(op syntax.ParExpOperator) bool {
	return op == syntax.DefaultUnset || op == syntax.DefaultUnsetOrNull || op == syntax.ErrorUnset || op == syntax.ErrorUnsetOrNull || op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull ||
		op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
}

func isAll(index syntax.ArithmExpr) bool {
	w, ok := index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// valuesOf is what ${…} can be; known: nothing else.
func (x *expander) valuesOf(p *syntax.ParamExp) (values []string, known bool) {
	name := p.Param.Value
	values, known = x.variable(name, p.Slice != nil || p.Repl != nil)
	switch {
	case p.Excl && p.Names == 0 && p.Index == nil:
		var reached []string
		for _, inner := range values {
			more, _ := x.variable(inner, false)
			reached = append(reached, more...)
		}
		return reached, known && len(reached) > 0
	case p.Length, p.Excl:
		return nil, false
	case p.Index != nil:
		return x.item(name, p.Index)
	case p.Slice != nil:
		return slice(values, p.Slice), known
	case p.Repl != nil:
		return x.replaced(values, p.Repl), known
	case p.Exp != nil:
		values, known = x.operated(values, known, p.Exp)
		if v := x.vars[name]; v != nil && v.open {
			known = false // not even where there is a default
		}
		return values, known
	}
	return values, known
}

func (x *expander) variable(name string, start bool) (values []string, known bool) {
	if v := x.vars[name]; v != nil {
		if v.items != nil {
			firsts := append(slices.Clone(v.values), v.items[:min(1, len(v.items))]...)
			for _, items := range v.earlier {
				firsts = append(firsts, items[:min(1, len(items))]...)
			}
			return firsts, !v.open && !x.anything
		}
		return v.values, !v.open && !x.anything
	}
	if start {
		if value, found := beginnings[name]; found {
			return []string{value}, true
		}
	}
	if value, found := set[name]; found {
		return []string{value}, true
	}
	if empty(name) {
		return []string{""}, true
	}
	return nil, false
}

package shellsyntax

import (
	"slices"
	"strconv"
	"strings"

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
	if v := x.vars[name]; v != nil && v.items != nil && (isAll(p.Index) || name == "@" || name == "*") && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl {
		before := list
		for _, items := range v.earlier {
			for _, t := range before {
				if len(list) >= maxAlternatives {
					x.large = true
					break
				}
				list = append(list, x.again(t))
				x.addItems(&list[len(list)-1], items, kind)
			}
		}
		for i := range before {
			x.addItems(&list[i], v.items, kind)
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

// addItems puts the items of an array into a text, as words of their own.
func (x *expander) addItems(t *text, items []string, kind byte) {
	for j, item := range items {
		if !x.expand(len(item)) || !x.spend(1) {
			break
		}
		if j > 0 {
			t.breaks = append(t.breaks, len(t.bytes))
		}
		t.add(item, kind)
	}
}

func (x *expander) item(name string, index syntax.ArithmExpr) ([]string, bool) {
	v := x.vars[name]
	if v == nil || v.items == nil {
		return nil, false
	}
	at, ok := number(index)
	values, known := []string(nil), ok && !v.open && !v.shuffled
	for _, items := range append([][]string{v.items}, v.earlier...) {
		switch {
		case ok && at >= 0 && at < len(items):
			values = append(values, items[at])
		default:
			values, known = append(values, items[:min(len(items), maxAlternatives)]...), false
		}
	}
	return values, known
}

func number(expr syntax.ArithmExpr) (int, bool) {
	switch expr := expr.(type) {
	case nil:
		return 0, false
	case *syntax.Word:
		n, err := strconv.Atoi(strings.TrimSpace(expr.Lit()))
		return n, err == nil
	case *syntax.UnaryArithm:
		if n, ok := number(expr.X); ok && expr.Op == syntax.Minus {
			return -n, true
		}
	case *syntax.ParenArithm:
		return number(expr.X)
	}
	return 0, false
}

func slice(values []string, cut *syntax.Slice) []string {
	from, ok := number(cut.Offset)
	if !ok {
		return nil
	}
	var list []string
	for _, value := range values {
		start := from
		if start < 0 {
			start = max(0, len(value)+start)
		}
		start = min(start, len(value))
		end := len(value)
		if length, ok := number(cut.Length); ok && length >= 0 {
			end = min(end, start+length)
		} else if ok {
			end = max(start, end+length)
		} else if cut.Length != nil {
			return nil
		}
		list = append(list, value[start:end])
	}
	return list
}

func (x *expander) replaced(values []string, r *syntax.Replace) []string {
	from, knownFrom := x.value(r.Orig)
	to, knownTo := x.value(r.With)
	if !knownFrom || !knownTo || len(from) != 1 || len(to) != 1 || from[0] == "" || strings.ContainsAny(from[0], "*?[") {
		return nil
	}
	most := 1
	if r.All {
		most = -1
	}
	var list []string
	for _, value := range values {
		if !x.expand(len(value) * (1 + len(to[0]))) {
			return nil
		}
		list = append(list, strings.Replace(value, from[0], to[0], most))
	}
	return list
}

func (x *expander) operated(values []string, known bool, e *syntax.Expansion) ([]string, bool) {
	word, wordKnown := x.value(e.Word)
	changed := slices.Clone(values)
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return append(changed, word...), (known || len(word) > 0) && wordKnown
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return append(word, ""), wordKnown
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values, known
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		for i := range changed {
			if len(word) != 1 || strings.ContainsAny(word[0], "*?[") {
				return nil, false
			}
			changed[i] = strings.TrimPrefix(changed[i], word[0])
		}
		return changed, known && wordKnown
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		for i := range changed {
			if len(word) != 1 || strings.ContainsAny(word[0], "*?[") {
				return nil, false
			}
			changed[i] = strings.TrimSuffix(changed[i], word[0])
		}
		return changed, known && wordKnown
	case syntax.UpperAll:
		for i := range changed {
			changed[i] = strings.ToUpper(changed[i])
		}
		return changed, known
	case syntax.LowerAll, syntax.LowerFirst:
		for i := range changed {
			changed[i] = strings.ToLower(changed[i])
		}
		return changed, known
	}
	return nil, false
}

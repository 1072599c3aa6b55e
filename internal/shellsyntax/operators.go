package shellsyntax

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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

// cutItems are the items that ${a[@]:from:length} stands for; of $@ the first is 1.
func cutItems(items []string, p *syntax.ParamExp) ([]string, bool) {
	if p.Slice == nil {
		return items, true
	}
	from, known := number(p.Slice.Offset)
	if p.Param.Value == "@" || p.Param.Value == "*" {
		if from--; from == -1 {
			return nil, false // $0 is among them
		} else if from < -1 {
			from++
		}
	}
	if from < 0 {
		from = max(0, len(items)+from)
	}
	if from = min(from, len(items)); !known {
		return nil, false
	}
	items = items[from:]
	if p.Slice.Length != nil {
		length, known := number(p.Slice.Length)
		if !known || length < 0 {
			return nil, false
		}
		items = items[:min(length, len(items))]
	}
	return items, true
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
	case syntax.UpperAll, syntax.LowerAll, syntax.LowerFirst:
		if e.Word != nil && len(e.Word.Parts) > 0 {
			return nil, false // letters that a pattern picks
		}
	}
	switch e.Op {
	case syntax.UpperAll:
		for i := range changed {
			changed[i] = strings.ToUpper(changed[i])
		}
		return changed, known
	case syntax.LowerAll:
		for i := range changed {
			changed[i] = strings.ToLower(changed[i])
		}
		return changed, known
	case syntax.LowerFirst:
		for i := range changed {
			changed[i] = strings.ToLower(changed[i][:min(1, len(changed[i]))]) + changed[i][min(1, len(changed[i])):]
		}
		return changed, known
	}
	return nil, false
}

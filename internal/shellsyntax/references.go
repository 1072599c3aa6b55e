package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// references are the variables that stand for others (declare -n), and those that they
// stand for where the declaration says so: what they hold is never known for certain.
type references struct {
	declared map[*syntax.Assign]bool
	names    map[string]bool
	free     map[string]bool // whether the calls of the line decide what one that is declared stands for
	written  bool            // the line writes to one of these
	strange  bool            // what one stands for is not known at all
	system   bool            // one stands for a variable such as PATH, which changes what others do
}

// has says whether a variable is declared to stand for another one.
func (r *references) has(name string) bool {
	_, declared := r.free[name]
	return declared
}

// refer notes the variables that stand for others, before values are looked at.
func (x *expander) refer(nodes []syntax.Node) {
	for _, node := range nodes {
		clause, ok := node.(*syntax.DeclClause)
		if !ok || !x.refers(clause) {
			continue
		}
		for _, assign := range clause.Args {
			if assign.Name != nil {
				x.reference(assign)
			} else if assign.Value != nil && !strings.HasPrefix(x.written(assign.Value), "-") {
				x.references.strange = true // a name that is put together
			}
		}
	}
}

// refers says whether a clause declares variables that stand for others.
func (x *expander) refers(clause *syntax.DeclClause) bool {
	return clause.Variant.Value != "export" && slices.ContainsFunc(clause.Args, func(a *syntax.Assign) bool {
		if a.Name != nil || a.Value == nil {
			return false
		}
		for _, fields := range x.fields(a.Value) {
			if len(fields) > 0 && fields[0].Static && strings.HasPrefix(fields[0].Value, "-") && strings.Contains(fields[0].Value, "n") {
				return true
			}
		}
		return false
	})
}

func (x *expander) reference(assign *syntax.Assign) {
	r := &x.references
	if r.names == nil {
		strange := r.strange
		*r = references{map[*syntax.Assign]bool{}, map[string]bool{}, map[string]bool{}, false, strange, false}
	}
	r.declared[assign] = true
	x.stands(assign.Name.Value)
	if assign.Naked || assign.Value == nil || assign.Array != nil || assign.Index != nil || assign.Append {
		r.strange = true
		return
	}
	if p := onlyParameter(assign.Value); p != nil && isNumber(p.Param.Value) {
		r.free[assign.Name.Value] = true
		return
	}
	target := wordOf(assign.Value)
	if !target.Static || !isName(target.Value) {
		r.strange = true
		return
	}
	r.free[assign.Name.Value] = r.free[assign.Name.Value] || false
	x.stands(target.Value)
}

// stands marks a variable that can be another one.
func (x *expander) stands(name string) {
	x.references.names[name] = true
	x.named(name).open = true
	x.doubts(name)
}

// resolve gives each of them what the other holds, when all values are known.
func (x *expander) resolve(nodes []syntax.Node) {
	back := map[string][]string{} // what is written to a reference is written to the other
	defer func() {
		for target, names := range back {
			for _, name := range names {
				x.stands(target)
				x.share(target, name)
			}
		}
	}()
	for _, node := range nodes {
		switch node := node.(type) {
		case *syntax.Assign:
			x.writes(node)
			if x.references.declared[node] && node.Value != nil {
				for _, target := range x.targets(node, nodes) {
					x.share(node.Name.Value, target)
					back[target] = append(back[target], node.Name.Value)
				}
			}
		case *syntax.ForClause:
			if words, ok := node.Loop.(*syntax.WordIter); ok && x.references.has(words.Name.Value) {
				x.references.written = true
			}
		case *syntax.CallExpr:
			for _, name := range x.filled(node) {
				x.references.written = x.references.written || x.references.has(name)
			}
		}
	}
}

func (x *expander) writes(assign *syntax.Assign) {
	if assign.Name != nil && !assign.Naked && x.references.has(assign.Name.Value) && !x.references.declared[assign] {
		x.references.written = true
	}
}

// targets are the variables that a reference can stand for: the one that it names, or
// all whose names are arguments of calls.
func (x *expander) targets(assign *syntax.Assign, nodes []syntax.Node) []string {
	if !x.references.free[assign.Name.Value] {
		target := wordOf(assign.Value).Value
		x.references.system = x.references.system || isSystem(target)
		return []string{target}
	}
	var names []string
	for _, node := range nodes {
		call, ok := node.(*syntax.CallExpr)
		if !ok {
			continue
		}
		for _, arg := range call.Args[min(1, len(call.Args)):] {
			word, simple := plain(arg)
			if !x.spend(1) {
				return names
			}
			if !simple {
				word = x.one(arg)
			}
			if !word.Static {
				x.references.strange = x.references.strange || word.Unknown && isBareWord(arg)
			} else if isSystem(word.Value) {
				x.references.system = true
			} else if x.vars[word.Value] != nil && !slices.Contains(names, word.Value) {
				names = append(names, word.Value)
			}
		}
	}
	return names
}

// isSystem says whether a name is written as those of the environment are: PATH.
func isSystem(name string) bool {
	return len(name) > 2 && isName(name) && name == strings.ToUpper(name) && name[0] >= 'A'
}

// isBareWord says whether a word is one variable, which may hold the name of another.
func isBareWord(word *syntax.Word) bool { return onlyParameter(word) != nil }

func (x *expander) share(name, target string) {
	v, other := x.named(name), x.vars[target]
	if other == nil || other == v || !x.spend(1+len(other.values)+len(other.items)) {
		return
	}
	for _, value := range slices.Backward(other.values) {
		v.can(value)
	}
	if len(v.items)+len(other.items) <= maxFields {
		v.items = append(v.items, other.items...)
	} else {
		x.large = true
	}
	v.from |= other.from
}

// oddReferences asks where it cannot be told what variables stand for.
func (z *analyzer) oddReferences() {
	if r := z.x.references; r.strange || r.written && r.system {
		z.odd(Indirection, "declare -n", "a variable stands for another one")
	}
}

// oddReference asks about a clause where its variables are not known to be references.
func (z *analyzer) oddReference(clause *syntax.DeclClause) {
	for _, assign := range clause.Args {
		if assign.Name != nil && !z.x.references.declared[assign] {
			z.oddAt(Indirection, clause, "a variable stands for another one")
		}
	}
}

// isReference says whether a word has a variable that may be another one.
func (x *expander) isReference(word *syntax.Word) bool {
	found := false
	if x.references.names != nil {
		syntax.Walk(word, func(node syntax.Node) bool {
			p, ok := node.(*syntax.ParamExp)
			found = found || ok && p.Param != nil && x.references.names[p.Param.Value]
			return !found && x.spend(1)
		})
	}
	return found
}

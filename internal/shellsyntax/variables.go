package shellsyntax

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mayAssign says whether a source may set a variable: a = stands behind anything but
// a name that a flag or a path ends with.
func mayAssign(source string) bool {
	for i := range len(source) {
		if source[i] != '=' {
			continue
		}
		name := i
		for name > 0 && isNameByte(source[name-1]) {
			name--
		}
		if name == i || name == 0 || strings.IndexByte("-/.", source[name-1]) < 0 {
			return true
		}
	}
	return false
}

// learn notes what the variables of a line can hold, whatever its order.
func (x *expander) learn(nodes []syntax.Node) {
	x.refer(nodes)
	for _, node := range nodes {
		if clause, ok := node.(*syntax.DeclClause); ok {
			x.foldLetters(clause)
		}
	}
	for _, node := range nodes {
		x.doubt(node)
		switch node := node.(type) {
		case *syntax.Assign:
			x.assign(node)
		case *syntax.ForClause:
			if words, ok := node.Loop.(*syntax.WordIter); ok {
				x.iterate(words)
			}
		case *syntax.CallExpr:
			x.setBy(node)
		case *syntax.DeclClause:
			x.declared(node)
		}
	}
	x.handIn(nodes)
	if x.references.names != nil {
		x.resolve(nodes)
	}
}

func (x *expander) named(name string) *variable {
	if x.vars[name] == nil {
		x.vars[name] = x.memory.variables.one()
	}
	return x.vars[name]
}

// can puts a value in front of those that the variable had before it. The oldest are
// forgotten where they are too many, and it can then be something else, too.
func (v *variable) can(value string) {
	switch v.fold {
	case 'u':
		value = strings.ToUpper(value)
	case 'l':
		value = strings.ToLower(value)
	}
	if i := slices.Index(v.values, value); i >= 0 {
		v.values = slices.Delete(v.values, i, i+1)
	} else if len(v.values) >= maxAlternatives {
		v.values, v.open = v.values[:maxAlternatives-1], true
	}
	v.values = slices.Insert(v.values, 0, value)
}

func (x *expander) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked || x.references.declared[a] {
		return
	}
	v := x.named(a.Name.Value)
	if a.Value != nil {
		v.from |= x.sources(a.Value)
	}
	switch {
	case a.Array != nil:
		if len(v.items) > 0 && !a.Append {
			x.keep(v)
		}
		for _, elem := range a.Array.Elems {
			v.shuffled = v.shuffled || elem.Index != nil
			if elem.Value == nil || len(v.items) >= maxFields {
				v.open, x.large = true, x.large || elem.Value != nil
				continue
			}
			for _, field := range x.first(elem.Value) {
				v.items = append(v.items, field.Value)
				v.open, v.shuffled = v.open || !field.Static, v.shuffled || !field.Static || x.gluedName(elem.Value) != ""
			}
		}
	case a.Index != nil:
		v.open, v.shuffled = true, true
		values, _ := x.value(a.Value)
		v.items = append(v.items, values...)
	default:
		values, known := x.value(a.Value)
		if a.Name.Value == "IFS" && a.Value != nil && strings.TrimSpace(strings.Join(values, "")) != "" {
			x.separated = true
			x.ifs += strings.Join(values, "")
		}
		v.open = v.open || !known
		if p := copiedParameter(a.Value); p != "" && x.vars[p] == nil {
			v.copied = p
		}
		if glued := x.gluedName(a.Value); glued != "" {
			v.can(glued)
		}
		for _, value := range values {
			if !a.Append || len(v.values) == 0 {
				v.can(value)
				continue
			}
			for _, old := range slices.Backward(slices.Clone(v.values)) {
				if x.spend(1 + len(old)/64) {
					v.can(old + value)
				}
			}
		}
	}
}

// foldLetters notes the variables whose values declare -u or -l changes.
func (x *expander) foldLetters(clause *syntax.DeclClause) {
	fold := byte(0)
	for _, assign := range clause.Args {
		if assign.Name == nil && assign.Value != nil {
			if flags := x.written(assign.Value); strings.HasPrefix(flags, "-") {
				if at := strings.IndexAny(flags, "ul"); at >= 0 {
					fold = flags[at]
				}
			}
		} else if fold != 0 && assign.Name != nil {
			x.named(assign.Name.Value).fold = fold
		}
	}
}

// declared notes what declare and its kind set by way of words: declare "$name=value".
func (x *expander) declared(clause *syntax.DeclClause) {
	for _, assign := range clause.Args {
		if assign.Name != nil || assign.Value == nil {
			continue
		}
		for _, fields := range x.fields(assign.Value) {
			for _, field := range fields {
				name, value, sets := strings.Cut(field.Value, "=")
				switch {
				case sets && isName(name):
					v := x.named(name)
					v.can(value)
					v.open = v.open || !field.Static
				case sets:
					x.anything = true
				}
			}
		}
	}
}

// gluedName is a text with variables of the line in it, without those: where they are
// set in another place they may be empty here. What is a path is left out.
func (x *expander) gluedName(value *syntax.Word) string {
	if value == nil || len(value.Parts) < 2 {
		return ""
	}
	text, glued := "", false
	for _, part := range value.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += part.Value
		case *syntax.ParamExp:
			glued = glued || part.Param != nil && x.vars[part.Param.Value] != nil
		default:
			return ""
		}
	}
	if !glued || !isPlain(text) || strings.Contains(text, "/") {
		return ""
	}
	return text
}

// copiedParameter is the variable that a value is a plain copy of; empty: it is none.
func copiedParameter(value *syntax.Word) string {
	if value == nil || len(value.Parts) == 0 {
		return ""
	}
	if p := onlyParameter(value); p != nil && isName(p.Param.Value) {
		return p.Param.Value
	}
	return ""
}

// keep puts the items of an array away for new ones.
func (x *expander) keep(v *variable) {
	if len(v.earlier) >= maxAlternatives-1 {
		x.large = true
		return
	}
	v.earlier, v.items = append(v.earlier, v.items), nil
}

func (x *expander) iterate(words *syntax.WordIter) {
	v := x.named(words.Name.Value)
	if !words.InPos.IsValid() {
		v.open = true
		return
	}
	for _, item := range words.Items {
		v.from |= x.sources(item)
		for _, field := range x.first(item) {
			if field.Static {
				v.can(field.Value)
			} else {
				v.open = true
			}
		}
	}
}

// setBy notes the variables that builtins set.
func (x *expander) setBy(call *syntax.CallExpr) {
	if len(call.Args) < 2 {
		return
	}
	switch nameOf(call) {
	case "read", "mapfile", "readarray", "getopts":
		for _, arg := range call.Args[1:] {
			if name := x.written(arg); isName(name) {
				x.named(name).open, x.named(name).shuffled = true, true
			}
		}
	case "printf":
		if len(call.Args) < 4 || x.written(call.Args[1]) != "-v" {
			return
		}
		v := x.named(x.written(call.Args[2]))
		var args []string
		for _, arg := range call.Args[3:] {
			w := x.one(arg)
			if !w.Static {
				v.open = true
				return
			}
			args = append(args, w.Value)
		}
		v.can(x.printf(args[0], args[1:]))
	case "unset":
		for _, arg := range call.Args[1:] {
			if name, _, indexed := strings.Cut(x.written(arg), "["); indexed {
				x.named(name).shuffled = true
			}
		}
	case "set":
		at := 0
		for _, arg := range call.Args[1:] {
			if at == 0 && x.written(arg) == "--" {
				at = 1
				continue
			}
			if at > 0 {
				for _, field := range x.first(arg) {
					x.named("@").items = append(x.named("@").items, field.Value)
					x.named(strconv.Itoa(at)).can(field.Value)
					at++
				}
			}
		}
		if at > 1 {
			x.named("*").items = x.named("@").items
		}
	}
}

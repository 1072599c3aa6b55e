package shellsyntax

import "mvdan.cc/sh/v3/syntax"

// handIn gives the variables of functions the values that they get from the arguments of
// each call: local dir=$1.
func (x *expander) handIn(nodes []syntax.Node) {
	for _, node := range nodes {
		f, ok := node.(*syntax.FuncDecl)
		if !ok || f.Name == nil || f.Body == nil || !x.spend(1+len(nodes)/32) {
			continue
		}
		calls := callsByName(nodes, f.Name.Value)
		if len(calls) == 0 || !x.spend(len(nodes)/32) {
			continue
		}
		for _, node := range nodes {
			assign, ok := node.(*syntax.Assign)
			switch {
			case !ok || assign.Name == nil || assign.Index != nil || assign.Append || !holds(f, assign.Pos()):
			case assign.Array != nil:
				x.handItems(assign, calls)
			case assign.Value != nil:
				x.handTo(assign, calls)
			}
		}
	}
}

// callsByName are the calls of a function.
func callsByName(nodes []syntax.Node, name string) []*syntax.CallExpr {
	var calls []*syntax.CallExpr
	for _, node := range nodes {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 1 && nameOf(call) == name {
			calls = append(calls, call)
		}
	}
	return calls
}

// handTo sets one variable again, with what each call hands in. Arguments in front may
// have been taken away before.
func (x *expander) handTo(assign *syntax.Assign, calls []*syntax.CallExpr) {
	if !hasArgument(assign.Value.Parts) {
		if !isText(assign.Value.Parts) && x.spend(1) {
			x.assign(assign) // of variables that have got other values
		}
		return
	}
	for _, call := range calls {
		args := call.Args[1:]
		if !x.spend(2 + len(args)) {
			return
		}
		parts := argumentsIn(assign.Value.Parts, args)
		if isArguments(assign.Value) {
			parts = joinedArguments(args)
		}
		x.assign(&syntax.Assign{Name: assign.Name, Value: &syntax.Word{Parts: parts}})
	}
}

// handItems puts what each call hands in among the items of an array: args=("$@").
func (x *expander) handItems(assign *syntax.Assign, calls []*syntax.CallExpr) {
	words := &syntax.CallExpr{}
	for _, elem := range assign.Array.Elems {
		if elem.Value != nil {
			words.Args = append(words.Args, elem.Value)
		}
	}
	if handedWord(words.Args) == nil {
		return
	}
	for _, call := range calls {
		if !x.spend(2 + handedSize(words, call.Args[1:])) {
			return
		}
		array := &syntax.ArrayExpr{}
		for _, word := range withArguments(words, call.Args[1:]).Args {
			array.Elems = append(array.Elems, &syntax.ArrayElem{Value: word})
		}
		x.assign(&syntax.Assign{Name: assign.Name, Array: array})
	}
}

// joinedArguments are words with a blank between them, as "$*" is.
func joinedArguments(args []*syntax.Word) []syntax.WordPart {
	var parts []syntax.WordPart
	for i, arg := range args {
		if i > 0 {
			parts = append(parts, &syntax.SglQuoted{Value: " "})
		}
		parts = append(parts, arg.Parts...)
	}
	return parts
}

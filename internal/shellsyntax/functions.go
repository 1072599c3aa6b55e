package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// functions are those that a script defines, with the calls of them. What a function
// does with its arguments is judged with those of each call.
type functions struct {
	outer   *functions // of the script that runs this one
	first   int        // how many commands there were before the script
	bodies  []*syntax.FuncDecl
	calls   map[string][]functionCall
	hidden  map[string]bool // called by a name that a variable or an alias holds
	waiting []handing
	shifts  []*syntax.CallExpr // that stand in the script
	judged  int                // commands with arguments in them
	calling *syntax.CallExpr   // the call that is looked at
}

// functionCall is one call of a function.
type functionCall struct {
	call  *syntax.CallExpr
	at    *stage
	via   []string
	depth int
	typed bool // it stands in the script of the function
}

// handing is a command in a function whose words are made of its arguments.
type handing struct {
	function *syntax.FuncDecl
	call     *syntax.CallExpr
	at       *stage
	program  *syntax.Word // "$@" as the program; nil: the program is another
}

// maxHanded bounds how many commands of functions are judged with arguments, and
// maxFunctions how many functions a line may have for that.
const (
	maxHanded    = 96
	maxFunctions = 48
)

// speakers do no harm with whatever arguments.
var speakers = []string{"echo", "printf", ":", "true", "test", "[", "local", "exit", "return", "shift"}

// define notes the functions of a script.
func (z *analyzer) define(nodes []syntax.Node) {
	f := &functions{outer: z.functions, first: len(z.a.Commands)}
	for _, node := range nodes {
		switch node := node.(type) {
		case *syntax.FuncDecl:
			if node.Name != nil && isPlain(node.Name.Value) && !strings.Contains(node.Name.Value, "/") {
				f.bodies = append(f.bodies, node)
			}
		case *syntax.CallExpr:
			if nameOf(node) == "shift" {
				f.shifts = append(f.shifts, node)
			}
		}
	}
	if len(f.bodies) > maxFunctions {
		f.bodies = nil
	}
	if len(f.bodies) > 0 || f.outer != nil {
		z.functions = f
	}
}

// leave judges what the functions of a script do when all calls in it are known.
func (z *analyzer) leave(outer *functions) {
	if z.functions != outer {
		z.handed()
		z.functions = outer
	}
}

// named says whether the line has a function of that name.
func (f *functions) named(name string) bool {
	return slices.ContainsFunc(f.bodies, func(body *syntax.FuncDecl) bool { return body.Name.Value == name })
}

// around is the innermost function around a place in the line; nil: none.
func (f *functions) around(at syntax.Pos) *syntax.FuncDecl {
	var inner *syntax.FuncDecl
	for _, body := range f.bodies {
		if holds(body, at) && (inner == nil || holds(inner, body.Pos())) {
			inner = body
		}
	}
	return inner
}

func holds(body *syntax.FuncDecl, at syntax.Pos) bool {
	return body.Body.Pos().Offset() <= at.Offset() && at.Offset() < body.Body.End().Offset()
}

// entered notes a call: of a function, and in one.
func (z *analyzer) entered(call *syntax.CallExpr, at *stage, via []string, depth int) {
	f := z.functions
	f.calling = call
	if len(call.Args) == 0 || !z.x.spend(1) {
		return
	}
	name := nameOf(call)
	for scope := f; scope != nil; scope = scope.outer {
		if !scope.named(name) {
			continue
		}
		if scope.calls == nil {
			scope.calls = map[string][]functionCall{}
		}
		scope.calls[name] = append(scope.calls[name], functionCall{call, at, via, depth, scope == f})
		if slices.Contains(via, "alias") {
			scope.hide(name)
		}
	}
	if slices.Contains(speakers, name) {
		return
	}
	if word := handedWord(call.Args); word != nil {
		if body := f.around(word.Pos()); body != nil {
			f.waiting = append(f.waiting, handing{function: body, call: call, at: at})
		}
	}
}

// called notes the functions whose names the program of a call turns out to be.
func (z *analyzer) called(call *syntax.CallExpr, variants [][]Word) {
	for _, words := range variants {
		if len(words) == 0 {
			continue
		}
		name := words[0].tail()
		for scope := z.functions; scope != nil && name != nameOf(call); scope = scope.outer {
			if scope.named(name) {
				scope.hide(name)
			}
		}
	}
}

func (f *functions) hide(name string) {
	if f.hidden == nil {
		f.hidden = map[string]bool{}
	}
	f.hidden[name] = true
}

// handsOn says whether a program is the arguments of a function, which are judged when
// all calls of it are known.
func (z *analyzer) handsOn(word *syntax.Word) bool {
	f := z.functions
	if f == nil || !isArguments(word) || len(f.waiting) == 0 {
		return false
	}
	last := &f.waiting[len(f.waiting)-1]
	if last.call != f.calling || !slices.Contains(last.call.Args, word) || last.program != nil && last.program != word {
		return false
	}
	last.program = word
	return true
}

// isArguments says whether a word is $@ or $*, in quotes or not.
func isArguments(word *syntax.Word) bool {
	p := onlyParameter(word)
	return p != nil && (p.Param.Value == "@" || p.Param.Value == "*")
}

// onlyParameter is the plain parameter that a word is made of, in quotes or not; nil:
// it is something else.
func onlyParameter(word *syntax.Word) *syntax.ParamExp {
	parts := word.Parts
	if q, ok := firstPart(parts).(*syntax.DblQuoted); ok && len(parts) == 1 {
		parts = q.Parts
	}
	p, ok := firstPart(parts).(*syntax.ParamExp)
	if !ok || len(parts) != 1 || p.Param == nil || !isBareParameter(p) || p.Excl || p.Length {
		return nil
	}
	return p
}

// handedWord is the first of some words that has an argument of a function in it.
func handedWord(words []*syntax.Word) *syntax.Word {
	for _, word := range words {
		if hasArgument(word.Parts) {
			return word
		}
	}
	return nil
}

func hasArgument(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.ParamExp:
			if part.Param != nil && empty(part.Param.Value) {
				return true
			}
		case *syntax.DblQuoted:
			if hasArgument(part.Parts) {
				return true
			}
		}
	}
	return false
}

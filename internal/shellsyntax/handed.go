package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// handed judges the commands of functions with the arguments of each call. A program
// that is the arguments themselves needs calls whose words are known.
func (z *analyzer) handed() {
	f := z.functions
	if len(f.waiting) == 0 {
		return
	}
	moved, shifted := z.setsArguments()
	for i := 0; i < len(f.waiting); i++ { // it grows: functions hand arguments on to others
		if h := f.waiting[i]; !z.judge(h, moved, shifted) && h.program != nil {
			z.odd(Indirection, z.x.printed(h.program), "a variable decides which program runs")
		}
	}
}

// setsArguments says whether the line sets its arguments itself, and whether it takes
// some away where that cannot be seen.
func (z *analyzer) setsArguments() (moved, shifted bool) {
	shifts := 0
	for _, command := range z.a.Commands[min(z.functions.first, len(z.a.Commands)):] {
		switch command.Name() {
		case "shift":
			shifts++
		case "set":
			for i, w := range command.Words[1:] {
				option := w.Static && (w.Value == "--" || strings.HasPrefix(w.Value, "-") || strings.HasPrefix(w.Value, "+"))
				moved = moved || !option && !strings.HasSuffix(command.Words[i].Value, "o")
			}
		}
	}
	return moved, shifts != len(z.functions.shifts)
}

// judge looks at a command with the arguments of each call of its function; false: not
// all of them are known.
func (z *analyzer) judge(h handing, moved, shifted bool) bool {
	f := z.functions
	name, some := h.function.Name.Value, false
	known := !moved && !f.hidden[name]
	for _, c := range f.calls[name] {
		args := c.call.Args[1:]
		if handedWord(args) != nil {
			if c.typed && holds(h.function, c.call.Pos()) {
				continue // it calls itself with what it has
			}
			known = known && c.typed
		}
		known = known && (h.program == nil || !isSplit(h.program) || z.areWhole(args))
		from, to := z.shiftsBefore(h, shifted, len(args))
		if known = known && to-from <= 8; !known {
			return false
		}
		for at := from; at <= min(to, len(args)); at++ {
			if f.judged++; f.judged > maxHanded || !z.x.spend(4+handedSize(h.call, args)) {
				return false
			}
			if call := withArguments(h.call, args[at:]); len(call.Args) > 0 {
				some = true
				known = z.judgeCall(call, h, c) && known
			}
		}
	}
	return known && some
}

// judgeCall looks at a command in the places of both, its function and the call; false:
// both read something else.
func (z *analyzer) judgeCall(call *syntax.CallExpr, h handing, c functionCall) bool {
	at := *h.at
	one := at.input == nil || c.at.input == nil || at.input[0] == c.at.input[0]
	at.redirects = append(slices.Clip(c.at.redirects), at.redirects...)
	at.inner, at.fed = at.inner || c.at.inner, at.fed || c.at.fed
	if at.input == nil {
		at.input, at.from = c.at.input, c.at.from
	}
	scope := z.functions
	if !c.typed { // its words stand somewhere else
		z.functions = &functions{outer: scope}
	}
	z.call(call, &at, c.via, c.depth)
	z.functions = scope
	return one
}

// shiftsBefore is how many arguments are taken away before a command of a function, at
// least and at most.
func (z *analyzer) shiftsBefore(h handing, shifted bool, most int) (from, to int) {
	all := 0
	for _, shift := range z.functions.shifts {
		if holds(h.function, shift.Pos()) {
			all++
		}
	}
	if all == 0 && !shifted {
		return 0, 0
	}
	place := handedPlace(h.call)
	if body, ok := h.function.Body.Cmd.(*syntax.Block); ok && !shifted {
		plainly := 0
		for _, stmt := range body.Stmts {
			call, ok := stmt.Cmd.(*syntax.CallExpr)
			if !ok || nameOf(call) != "shift" || stmt.Background || len(stmt.Redirs) > 0 {
				continue
			}
			n := 1
			if len(call.Args) == 2 {
				word, _ := plain(call.Args[1])
				if !isNumber(word.Value) || len(word.Value) > 1 {
					return 0, max(0, most-1)
				}
				n = int(word.Value[0] - '0')
			}
			if plainly++; stmt.Pos().Offset() < place {
				from += n
			}
		}
		if plainly == all {
			return from, from
		}
	}
	return 0, max(0, most-1)
}

// handedPlace is where in the line a command of a function stands.
func handedPlace(call *syntax.CallExpr) uint {
	return handedWord(call.Args).Pos().Offset()
}

// isSplit says whether the words of $@ are taken apart at blanks.
func isSplit(word *syntax.Word) bool {
	_, bare := firstPart(word.Parts).(*syntax.ParamExp)
	return bare
}

// areWhole says whether words are known and stay whole without quotes.
func (z *analyzer) areWhole(words []*syntax.Word) bool {
	for _, word := range words {
		for _, fields := range z.x.fields(word) {
			if slices.ContainsFunc(fields, func(w Word) bool { return !w.Static || strings.ContainsAny(w.Value, " \t\n*?[") }) {
				return false
			}
		}
	}
	return true
}

// handedSize is how much there is to look at when a command gets arguments.
func handedSize(call *syntax.CallExpr, args []*syntax.Word) int {
	size := len(args)
	for _, arg := range args {
		size += max(0, int(arg.End().Offset())-int(arg.Pos().Offset())) / 32
	}
	places := 0
	for _, word := range call.Args {
		if hasArgument(word.Parts) {
			places += len(word.Parts)
			if q, ok := word.Parts[0].(*syntax.DblQuoted); ok {
				places += len(q.Parts)
			}
		}
	}
	return len(call.Args) + places*size
}

// withArguments is a command with arguments in the places of $@ and $1.
func withArguments(call *syntax.CallExpr, args []*syntax.Word) *syntax.CallExpr {
	with := &syntax.CallExpr{Assigns: call.Assigns}
	for _, word := range call.Args {
		switch {
		case isArguments(word):
			with.Args = append(with.Args, args...)
		case hasArgument(word.Parts):
			if parts := argumentsIn(word.Parts, args); len(parts) > 0 {
				with.Args = append(with.Args, &syntax.Word{Parts: parts})
			}
		default:
			with.Args = append(with.Args, word)
		}
	}
	return with
}

func argumentsIn(parts []syntax.WordPart, args []*syntax.Word) []syntax.WordPart {
	var list []syntax.WordPart
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			list = append(list, &syntax.DblQuoted{Left: part.Left, Right: part.Right, Dollar: part.Dollar, Parts: argumentsIn(part.Parts, args)})
			continue
		case *syntax.ParamExp:
			if part.Param == nil || part.Excl || part.Length || part.Slice != nil || part.Repl != nil {
				break
			}
			if name := part.Param.Value; empty(name) && isNumber(name) && (part.Exp == nil || isDefault(part.Exp.Op)) {
				if n := int(name[0] - '1'); n < len(args) {
					list = append(list, args[n].Parts...)
					continue
				}
			}
		}
		list = append(list, part)
	}
	return list
}

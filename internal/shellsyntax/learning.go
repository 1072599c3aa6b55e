package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignsByDefault says whether a source may hold ${x:=…} or ${x=…}.
func assignsByDefault(source string) bool {
	for from := 0; ; {
		at := strings.Index(source[from:], "${")
		if at < 0 {
			return false
		}
		from += at + 2
		end := from
		for end < len(source) && isNameByte(source[end]) {
			end++
		}
		if rest := source[end:]; end > from && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=")) {
			return true
		}
	}
}

// learnDefaults notes the variables that ${x:=…} sets.
func (x *expander) learnDefaults(file *syntax.File) {
	syntax.Walk(file, func(node syntax.Node) bool {
		p, ok := node.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Exp == nil || p.Exp.Op != syntax.AssignUnset && p.Exp.Op != syntax.AssignUnsetOrNull {
			return true
		}
		values, known := x.value(p.Exp.Word)
		v := x.named(p.Param.Value)
		v.open = v.open || !known
		for _, value := range values {
			v.can(value)
		}
		return true
	})
}

// learnLines notes what read gives to variables in a loop or a group whose input is
// plain to see: while read f; do …; done <<< x.
func (x *expander) learnLines(stmt *syntax.Stmt, text string) {
	for _, call := range callsOf(stmt) {
		if nameOf(call) != "read" {
			continue
		}
		var names []string
		for _, arg := range call.Args[1:] {
			if name := x.written(arg); isName(name) {
				names = append(names, name)
			}
		}
		lines := 0
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			if lines++; lines > maxAlternatives || !x.spend(1+len(line)/64) {
				break
			}
			fields := strings.Fields(line)
			for i, name := range names {
				switch {
				case i >= len(fields):
				case i+1 == len(names):
					x.named(name).can(strings.Join(fields[i:], " "))
				default:
					x.named(name).can(fields[i])
				}
			}
		}
	}
}

// learnInput finds the input of a loop or a group.
func (x *expander) learnInput(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.Stmt:
		if _, simple := node.Cmd.(*syntax.CallExpr); simple {
			return
		}
		for _, redirect := range node.Redirs {
			if text, known := x.readBy(redirect); known {
				x.learnLines(node, text)
			}
		}
	case *syntax.BinaryCmd:
		if _, simple := node.Y.Cmd.(*syntax.CallExpr); simple || node.Op != syntax.Pipe && node.Op != syntax.PipeAll {
			return
		}
		if text, known := x.output([]*syntax.Stmt{node.X}, nil); known {
			x.learnLines(node.Y, text)
		}
	}
}

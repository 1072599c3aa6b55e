package shellsyntax

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// located are programs whose output a line may use as the name of a file, because what
// they print is known. Nobody may give these names to functions.
var located = []string{"which", "command", "type", "mktemp", "dirname", "pwd", "go", "npm", "pnpm", "yarn", "brew", "git", "echo"}

// placesOf are what a substitution can print that looks for a program or makes a
// temporary file: $(command -v a || command -v b). nil: it does something else.
func (x *expander) placesOf(subst *syntax.CmdSubst) []string {
	if len(subst.Stmts) != 1 {
		return nil
	}
	return x.placesIn(subst.Stmts[0], int(subst.Pos().Offset()), nil)
}

func (x *expander) placesIn(stmt *syntax.Stmt, at int, places []string) []string {
	if stmt.Negated || stmt.Background || !quietly(stmt.Redirs) || len(places) >= maxAlternatives || !x.spend(1) {
		return nil
	}
	switch command := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		if command.Op != syntax.OrStmt {
			return nil
		}
		if places = x.placesIn(command.X, at, places); places == nil {
			return nil
		}
		return x.placesIn(command.Y, at, places)
	case *syntax.CallExpr:
		if place, known := x.placeOf(command, at, len(places) > 0); known && len(command.Assigns) == 0 {
			return append(places, place)
		}
	}
	return nil
}

// placeOf is what one of them prints. Behind || there may be a text as well, or nothing.
func (x *expander) placeOf(call *syntax.CallExpr, at int, behind bool) (string, bool) {
	if len(call.Args) == 0 {
		return "", false
	}
	args := call.Args[1:]
	switch x.written(call.Args[0]) {
	case "mktemp":
		return tempRoot + strconv.Itoa(at), true
	case "command":
		return x.programAt(args, "-v")
	case "type":
		return x.programAt(args, "-P")
	case "which":
		return x.programAt(args, "")
	case "true", ":":
		return "", behind && len(args) == 0
	case "echo":
		if behind && len(args) == 1 {
			word, ok := plain(args[0])
			return word.Value, ok && isPlain(word.Value) && word.Value[0] != '-'
		}
	}
	return "", false
}

// programAt is where a program lies that is looked for by its name.
func (x *expander) programAt(args []*syntax.Word, flag string) (string, bool) {
	if flag != "" {
		if len(args) == 0 {
			return "", false
		}
		if x.written(args[0]) != flag {
			return "", false
		}
		args = args[1:]
	}
	if len(args) != 1 {
		return "", false
	}
	fields := x.fields(args[0])
	if len(fields) != 1 || len(fields[0]) != 1 || !fields[0][0].Static {
		return "", false
	}
	name := fields[0][0].Value
	if !isPlain(name) || name[0] == '-' {
		return "", false
	}
	if strings.Contains(name, "/") {
		return name, true
	}
	return "/usr/bin/" + name, true
}

// quietly says whether redirections do no more than to hide messages: 2>/dev/null.
func quietly(redirects []*syntax.Redirect) bool {
	return !slices.ContainsFunc(redirects, func(r *syntax.Redirect) bool {
		to, ok := plain(r.Word)
		return r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || !ok || to.Value != "/dev/null"
	})
}

// alternatives puts each of several values behind every alternative.
func (x *expander) alternatives(list []text, values []string, kind byte, part syntax.Node) []text {
	if len(values) == 1 {
		x.each(list, values[0], kind)
		return list
	}
	grown := x.memory.texts.take(min(len(list)*len(values), maxAlternatives))[:0]
	for _, t := range list {
		for _, value := range values {
			if len(grown) >= maxAlternatives || !x.expand(len(value)) {
				return x.unknown(list, part) // what is left out may be anything
			}
			one := x.again(t)
			one.add(value, kind)
			one.quoted = one.quoted || kind == quotedByte
			grown = append(grown, one)
		}
	}
	return grown
}

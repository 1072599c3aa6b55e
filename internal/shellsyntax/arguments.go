package shellsyntax

import (
	"slices"
	"strconv"
	"strings"
)

// scriptWith looks at a script that is given arguments: sh -c '…' name one two.
func (z *analyzer) scriptWith(args []Word, source string, via []string, depth int) {
	if len(args) == 0 {
		z.script(source, via, depth)
		return
	}
	var before [12]*variable
	for i := range before {
		before[i] = z.x.vars[argumentName(i)]
		delete(z.x.vars, argumentName(i))
	}
	z.x.give(args)
	z.script(source, via, depth)
	for i, v := range before {
		if delete(z.x.vars, argumentName(i)); v != nil {
			z.x.vars[argumentName(i)] = v
		}
	}
}

// argumentName is $0 to $9, and then $@ and $*.
func argumentName(i int) string {
	switch i {
	case 10:
		return "@"
	case 11:
		return "*"
	}
	return strconv.Itoa(i)
}

// give sets the arguments of a script.
func (x *expander) give(args []Word) {
	all := x.named("@")
	x.vars["*"] = all
	for i, arg := range args {
		if !x.spend(1 + len(arg.Value)/32) {
			return
		}
		if i < 10 {
			v := x.named(argumentName(i))
			v.can(arg.Value)
			v.open = arg.Unknown
		}
		if i > 0 && len(all.items) < maxFields {
			all.items = append(all.items, arg.Value)
		}
		all.open = all.open || arg.Unknown
	}
}

// isRead says whether everything that find or xargs hands to a shell stands in the line,
// does no harm by itself, and takes the names as its arguments.
func (c *Command) isRead(in inside) bool {
	name := c.Name()
	var runs []Command
	for _, one := range in.commands {
		if !one.Found {
			runs = append(runs, one)
		}
	}
	switch name {
	case "find", "fd":
		options := 0
		for _, w := range c.Words {
			if !w.Static && w.Unknown {
				return false
			}
			if isRunOption(w.Value) {
				options++
			}
		}
		if options != len(runs) {
			return false
		}
	case "xargs":
		if len(runs) != 1 || len(in.commands) != 1 {
			return false
		}
		replaces := 0
		for _, w := range c.Words[1 : len(c.Words)-len(runs[0].Words)] {
			if !w.Static || strings.HasPrefix(w.Value, "-i") || strings.HasPrefix(w.Value, "-J") || strings.HasPrefix(w.Value, "--replace") {
				return false
			}
			if len(w.Value) < 2 || w.Value[0] != '-' || w.Value[1] == '-' || !strings.ContainsAny(w.Value, "IiJ") {
				continue
			}
			if replaces++; replaces > 1 || w.Value[1] != 'I' || !runs[0].leavesOut(placeholder(c.Words)) {
				return false // the last of several holds
			}
		}
	default:
		return false
	}
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(one Command) bool { return !one.takesNames(name) })
}

// leavesOut says whether a shell, its option and its script have no place where a name is
// put in: the names are arguments alone.
func (c *Command) leavesOut(place string) bool {
	return place != "" && len(c.Words) > 3 && !slices.ContainsFunc(c.Words[:4], func(w Word) bool { return strings.Contains(w.Value, place) })
}

func isRunOption(word string) bool {
	return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, word)
}

// takesNames says whether a shell is given a harmless script and names as its arguments,
// or only looks whether files are scripts: bash -n.
func (c *Command) takesNames(outer string) bool {
	if !slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, c.Name()) || len(c.Words) < 2 || !c.Words[1].Static {
		return false
	}
	option := c.Words[1].Value
	if option == "-n" {
		return len(c.Words) == 3 && c.Words[2].Value == "{}" || outer == "xargs" && len(c.Words) == 2
	}
	if option != "-c" && option != "-ec" && option != "-euc" || len(c.Words) < 4 {
		return false
	}
	script, placeholder := c.Words[2], c.Words[3]
	if !script.Static || !placeholder.Static || !isPlain(placeholder.Value) || placeholder.Value[0] == '-' || strings.Contains(script.Value, "{}") || outer == "fd" && strings.Contains(script.Value, "{") {
		return false
	}
	if slices.ContainsFunc(c.Words[4:], func(w Word) bool { return !w.Static }) || outer != "xargs" && !slices.ContainsFunc(c.Words[4:], func(w Word) bool { return w.Value == "{}" }) {
		return false
	}
	return onlyEveryday(script.Value, isLooker) && writesNothing(script.Value)
}

// writesNothing says whether no output of a script goes into a file.
func writesNothing(source string) bool {
	script, err := Parse(source)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(script.Commands(), func(c Command) bool {
		return slices.ContainsFunc(c.WritesTo, func(to Word) bool { return to.Value != "/dev/null" })
	})
}

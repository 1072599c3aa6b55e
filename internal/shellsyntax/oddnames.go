package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// common are names that nobody expects to mean something else.
var common = []string{
	"cd", "ls", "cp", "mv", "rm", "cat", "echo", "printf", "pwd", "git", "sudo", "su", "ssh", "scp", "curl", "wget", "grep", "find", "sed", "awk", "python", "python3", "bash", "sh", "exit", "return", "export",
	"source", "kill", "ps", "chmod", "chown", "node", "npm", "docker", "command", "builtin", "eval", "exec", "read", "set", "unset", "alias", "trap", "env", "true", "false", "mkdir", "touch", "less", "more", "vim", "tar", "make",
}

// function looks at a function that takes the name of something else.
func (z *analyzer) function(f *syntax.FuncDecl) {
	if f.Name != nil && (slices.Contains(common, f.Name.Value) || slices.Contains(located, f.Name.Value) || strings.HasPrefix(f.Name.Value, "command_not_found_")) {
		z.odd(Indirection, f.Name.Value+"()", "a function takes the name of a common command")
	}
}

// oddSetting looks at alias and trap, and at names in odd places.
func (z *analyzer) oddSetting(name string, call *syntax.CallExpr) {
	switch name {
	case "alias":
		for _, arg := range call.Args[1:] {
			w := z.x.one(arg)
			defined, value, found := strings.Cut(w.Value, "=")
			if fields := strings.Fields(value); found && len(fields) > 0 && (slices.Contains(common, defined) && fields[0] != defined || slices.Contains(risky, fields[0]) && fields[0] != defined || !w.Static) {
				z.odd(Indirection, w.Value, "an alias takes the name of a common command, or hides one")
			}
		}
	case "trap":
		if len(call.Args) < 3 || z.printsOnly(call.Args[1]) {
			return
		}
		if bareVariable(call.Args[1]) && !z.isKnown(call.Args[1]) {
			z.oddAt(Indirection, call, "a variable decides what a trap runs")
		}
		for _, arg := range call.Args[2:] {
			if signal := strings.ToUpper(z.x.written(arg)); signal == "DEBUG" || signal == "RETURN" || signal == "ERR" && len(call.Args) > 3 {
				z.oddAt(Indirection, call, "a trap runs a command with every other one")
			}
		}
	case "bind", "complete":
		if z.anyCould(call.Args[1:], func(word string) bool { return word == "-x" || word == "-C" }) {
			z.oddAt(Indirection, call, "it lets a key or a completion run a command")
		}
	case "mapfile", "readarray":
		if z.anyCould(call.Args[1:], func(word string) bool { return word == "-C" }) {
			z.oddAt(Indirection, call, "it runs a command for every line that it reads")
		}
	case "test", "[", "unset", "read", "printf", "let":
		for _, arg := range call.Args[1:] {
			if value, quoted := quotedText(firstPart(arg.Parts)); quoted && (strings.Contains(value, "[$(") || strings.Contains(value, "[`")) {
				z.odd(Indirection, value, "the index of an array runs a command")
			}
		}
	case "bash", "sh", "zsh":
		if z.anyCould(call.Args[1:], func(word string) bool {
			return word == "--rcfile" || word == "--init-file" || strings.HasPrefix(word, "--rcfile=") || strings.HasPrefix(word, "--init-file=")
		}) {
			z.oddAt(Indirection, call, "it lets the shell run a file first")
		}
	case "fc":
		if z.anyCould(call.Args[1:], func(word string) bool { return word == "-s" || word == "-e" }) {
			z.oddAt(Indirection, call, "it runs a command of the history again")
		}
	case "make", "gmake", "sed", "gsed", "psql", "sqlite3", "gdb", "vim":
		for i, arg := range call.Args[1:] {
			if len(arg.Parts) == 1 && isProcSubst(arg.Parts[0]) && z.x.written(call.Args[i]) == "-f" {
				z.oddAt(Substitution, call, "the output of a command is run as code")
			}
		}
	case "enable", "hash":
		if len(call.Args) > 2 {
			z.oddAt(Indirection, call, "it changes what the name of a command means")
		}
	}
}

// oddBlanks finds $IFS among other text.
func (z *analyzer) oddBlanks(word *syntax.Word) {
	syntax.Walk(word, func(node syntax.Node) bool {
		if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "IFS" {
			z.oddAt(IFS, word, "it writes the blanks of a command as $IFS")
		}
		return true
	})
}

// oddIndex finds a command that is hidden in the index of an array.
func (z *analyzer) oddIndex(node syntax.Node) {
	if !mentions(z.source, "[$(", "[`") {
		return
	}
	syntax.Walk(node, func(node syntax.Node) bool {
		if part, ok := node.(syntax.WordPart); ok {
			if value, quoted := quotedText(part); quoted && mentions(value, "[$(", "[`") {
				z.odd(Indirection, value, "the index of an array runs a command")
			}
		}
		return true
	})
}

package shellsyntax

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// decoders turn what cannot be read into text.
var decoders = []string{"base64", "base32", "basenc", "xxd", "openssl", "rev", "uudecode", "gzip", "gunzip", "zcat", "bzcat", "bzip2", "bunzip2", "xz", "xzcat", "unxz", "zstd", "zstdcat", "lz4", "gpg", "uncompress", "ascii2uni", "unzip"}

func isDecoder(name string) bool { return slices.Contains(decoders, name) }

// plainPrinters hand on what stands in the line or in a file as it is.
var plainPrinters = []string{"cat", "echo", "printf", "tee", "curl", "wget", "ls", "grep", "find", "git"}

// generators print commands for eval, and are made for that.
var generators = []string{"ssh-agent", "direnv", "pyenv", "rbenv", "nodenv", "goenv", "brew", "opam", "dircolors", "starship", "conda", "minikube", "docker-machine", "fnm", "zoxide", "mise", "asdf", "thefuck", "register-python-argcomplete", "kubectl", "gh", "luarocks", "pip", "rustup"}

// IsInterpreter says whether a program runs code in a language of its own.
func isInterpreter(name string) bool { return Language(name) != "" }

// Language is the language of an interpreter; empty: the program is none.
func Language(name string) string {
	switch {
	case strings.HasPrefix(name, "python"), strings.HasPrefix(name, "pypy"), name == "ipython", name == "ipython3":
		return "python"
	case strings.HasPrefix(name, "perl"):
		return "perl"
	case strings.HasPrefix(name, "ruby"), name == "irb":
		return "ruby"
	case name == "node", name == "nodejs", name == "deno", name == "bun":
		return "javascript"
	case strings.HasPrefix(name, "php"):
		return "php"
	case strings.HasPrefix(name, "lua"):
		return "lua"
	case name == "awk", name == "gawk", name == "mawk", name == "nawk":
		return "awk"
	case name == "tclsh", name == "expect", name == "wish":
		return "tcl"
	case name == "Rscript", name == "R", name == "julia", name == "osascript", name == "groovy", name == "scala", name == "ghc", name == "runghc", name == "guile", name == "racket", name == "elixir", name == "erl", name == "pwsh", name == "octave":
		return "other"
	}
	return ""
}

// oddWrapped looks at the program behind command, env, xargs, sudo and the like.
func (z *analyzer) oddWrapped(name string, args []*syntax.Word, command *Command) {
	w, wraps := wrappers[name]
	if !wraps {
		return
	}
	skip := w.skip
	for i := 0; i < len(args); i++ {
		lit := z.x.written(args[i])
		switch {
		case lit == "-v" && name == "command", lit == "-V" && name == "command":
			return
		case slices.Contains(w.long, lit), len(lit) == 2 && lit[0] == '-' && strings.IndexByte(w.valued, lit[1]) >= 0:
			i++
		case strings.HasPrefix(lit, "-") && len(lit) > 1:
		case w.assign && assigns(args[i]):
		case skip > 0:
			skip--
		default:
			z.oddProgram(args[i])
			// What is behind it is a command of its own.
			inner := &syntax.CallExpr{Args: args[i:]}
			if name := z.nameOf(args[i]); name != "" && (IsShell(name) || isInterpreter(name) || name == "eval" || name == "source" || name == "." || wrappersHave(name)) {
				z.oddCode(name, inner, command)
				z.oddWrapped(name, args[i+1:], command)
			}
			return
		}
	}
}

// oddRun looks at the programs that find runs.
func (z *analyzer) oddRun(name string, args []*syntax.Word) {
	if name != "find" && name != "fd" {
		return
	}
	for i, arg := range args[:max(0, len(args)-1)] {
		if z.could(arg, isExec) {
			z.oddProgram(args[i+1])
		}
	}
}

// isExec says whether a word is an option of find or fd with a command behind it.
func isExec(word string) bool {
	switch word {
	case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		return true
	}
	return false
}

// assigns says whether a word begins with NAME=.
func assigns(word *syntax.Word) bool {
	lit, _ := firstPart(word.Parts).(*syntax.Lit)
	return lit != nil && strings.Contains(lit.Value, "=")
}

// oddCode looks at what shells, eval and interpreters run.
func (z *analyzer) oddCode(name string, call *syntax.CallExpr, command *Command) {
	runs := name == "eval" || name == "source" || name == "." || IsShell(name) && name != "su"
	if !runs && !isInterpreter(name) {
		return
	}
	if (slices.ContainsFunc(command.PipedFrom, isDecoder) || z.decodes(call, command)) && (runs || z.readsProgram(name, call.Args[1:])) {
		z.oddAt(Encoded, call, "it runs text that is decoded first")
		return
	}
	z.oddFile(name, call)
	if IsShell(name) && z.anyCould(call.Args[1:], isInput) {
		z.oddAt(Indirection, call, "it runs whatever it reads")
	}
	if !runs {
		if words := z.interpreterCode(name, call.Args[1:]); slices.ContainsFunc(words, func(w *syntax.Word) bool { return shapeOf(w).substitutions > 0 && len(w.Parts) == 1 }) {
			z.oddAt(Substitution, call, "the output of a command is run as code")
		}
		return
	}
	variables, substitutions := 0, 0
	words := z.codeWords(name, call.Args[1:])
	for _, arg := range words {
		s := shapeOf(arg)
		substitutions += s.substitutions
		if s.parameters > 0 && !(name == "source" || name == ".") {
			variables += s.parameters
		}
	}
	direct := slices.ContainsFunc(call.Args[1:], func(w *syntax.Word) bool {
		return len(w.Parts) == 1 && isProcSubst(w.Parts[0])
	})
	switch {
	case name == "eval" && z.setsOptions(call):
	case direct, (name == "source" || name == ".") && len(command.Substituted) > 0 && command.Input != nil:
		z.oddAt(Substitution, call, "the output of a command is run as a command")
	case (name == "source" || name == ".") && len(call.Args) > 1 && bareVariable(call.Args[1]) && !z.isKnown(call.Args[1]):
		z.oddAt(Indirection, call, "a variable decides which file is run")
	case substitutions > 0 && len(words) > 0 && name != "source" && name != ".":
		if name == "eval" && slices.ContainsFunc(command.Substituted, func(from string) bool { return slices.Contains(generators, from) }) {
			return
		}
		z.oddAt(Substitution, call, "the output of a command is run as a command")
		if variables > 0 {
			z.oddAt(Indirection, call, "the value of a variable is run as a command")
		}
	case variables > 0:
		z.oddAt(Indirection, call, "the value of a variable is run as a command")
	case command.Input == nil && IsShell(name) && (command.Piped || z.mayBeFed(call)) && z.readsCode(call.Args[1:]):
		if slices.ContainsFunc(command.PipedFrom, func(from string) bool { return !slices.Contains(plainPrinters, from) }) {
			z.oddAt(Encoded, call, "it runs text that other commands put together")
		}
		z.oddAt(Indirection, call, "it runs whatever is piped into it")
	case command.Input != nil && !command.Input.Static && IsShell(name) && z.readsCode(call.Args[1:]):
		z.oddAt(Indirection, call, "it runs text with parts that are not known before")
	}
}

// setsOptions says whether eval takes apart what getopt printed: eval set -- "$parsed".
func (z *analyzer) setsOptions(call *syntax.CallExpr) bool {
	if len(call.Args) != 4 || z.x.written(call.Args[1]) != "set" || z.x.written(call.Args[2]) != "--" {
		return false
	}
	from := z.x.namesOf(z.x.sources(call.Args[3]))
	return len(from) == 1 && from[0] == "getopt" && onlyParameter(call.Args[3]) != nil
}

// isKnown says whether a word is nothing, or begins with text that is known.
func (z *analyzer) isKnown(word *syntax.Word) bool {
	fields := z.x.first(word)
	return len(fields) == 0 || fields[0].Static
}

// oddFile looks at the file that a program runs: one that is a substitution, or
// that a pattern names.
func (z *analyzer) oddFile(name string, call *syntax.CallExpr) {
	filter := Language(name) == "awk"
	for i, arg := range call.Args[1:] {
		lit := arg.Lit()
		switch {
		case len(arg.Parts) == 1 && isProcSubst(arg.Parts[0]) && (!filter || z.x.written(call.Args[i]) == "-f"):
			z.oddAt(Substitution, call, "the output of a command is run as code")
			return
		case (name == "source" || name == ".") && z.could(arg, isInput):
			z.oddAt(Indirection, call, "it runs whatever it reads")
		case filter || strings.HasPrefix(lit, "-"):
			continue
		case (strings.HasPrefix(lit, "/") || strings.HasPrefix(lit, "~")) && strings.ContainsAny(lit, "*?["):
			z.odd(Glob, lit, "a file name pattern decides which file is run")
		}
		return
	}
}

func isProcSubst(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ProcSubst)
	return ok && p.Op == syntax.CmdIn
}

// bareVariable says whether a word is a variable and nothing else.
func bareVariable(word *syntax.Word) bool {
	s := shapeOf(word)
	if q, ok := word.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) != 1 {
		return false
	}
	return s.parameters == 1 && s.substitutions == 0 && len(word.Parts) == 1
}

// octal is the code of a character: \0141, and not the \0 behind a name.
var octal = regexp.MustCompile(`\\0[0-7]`)

// decodes says whether a command is made of decoded text: by a decoder in a
// substitution, or by codes of characters in a pipe.
func (z *analyzer) decodes(call *syntax.CallExpr, command *Command) bool {
	if slices.ContainsFunc(command.Substituted, isDecoder) {
		return true
	}
	if slices.Contains(command.PipedFrom, "printf") || slices.Contains(command.PipedFrom, "echo") || slices.Contains(command.PipedFrom, "tr") || slices.Contains(command.Substituted, "printf") {
		return command.Piped && octal.MatchString(z.source) || strings.Contains(z.source, `\x`) || strings.Contains(z.source, `\1`) || command.Piped && slices.Contains(command.PipedFrom, "tr") && IsShell(nameOf(call))
	}
	return false
}

package shellsyntax

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Kind of an oddity.
type Kind string

// The kinds of oddities: ways to write a command so that it does not look like
// what it is.
const (
	Substitution   Kind = "substitution"    // the output of a command decides what runs
	ObfuscatedWord Kind = "obfuscated_word" // needless quotes, backslashes, escapes, braces
	IFS            Kind = "ifs"             // $IFS stands for blanks
	Indirection    Kind = "indirection"     // variables, aliases, functions or traps decide what runs
	Encoded        Kind = "encoded"         // decoded text is run
	Unicode        Kind = "unicode"         // characters that look like others, or like nothing
	Newline        Kind = "newline"         // line breaks that hide what belongs together
	Glob           Kind = "glob"            // file name patterns decide what runs
)

// Oddity is one such place in a line.
type Oddity struct {
	Kind     Kind
	Message  string
	Evidence string
	Minor    bool // worth to be shown, and no more
}

// maxOddities are listed at most, and maxMinor of those that are no more than worth
// to be shown.
const (
	maxOddities = 64
	maxMinor    = 8
)

func (z *analyzer) odd(kind Kind, evidence, message string) {
	switch {
	case slices.ContainsFunc(z.a.Oddities, func(o Oddity) bool { return o.Kind == kind && o.Evidence == evidence && !o.Minor }):
	case len(z.a.Oddities) >= maxOddities:
		z.x.large = true
	default:
		z.a.Oddities = append(z.a.Oddities, Oddity{Kind: kind, Message: message, Evidence: evidence})
	}
}

// oddAt is odd with a part of the tree for evidence.
func (z *analyzer) oddAt(kind Kind, node syntax.Node, message string) {
	if len(z.a.Oddities) >= maxOddities {
		z.x.large = true
		return
	}
	z.odd(kind, z.x.printed(node), message)
}

// oddCall looks at the words of one simple command.
func (z *analyzer) oddCall(call *syntax.CallExpr, command *Command) {
	name := nameOf(call)
	z.oddProgram(call.Args[0])
	if name == "" {
		if first := z.x.first(call.Args[0]); len(first) > 0 {
			name = programOf(first)
		}
	}
	for _, arg := range call.Args[1:] {
		z.oddArgument(name, arg)
		if text, _ := quotedText(firstPart(arg.Parts)); strings.HasPrefix(text, "BASH_FUNC_") || strings.HasPrefix(arg.Lit(), "BASH_FUNC_") {
			z.oddAt(Indirection, arg, "it hands a function to a shell by way of the environment")
		}
	}
	z.oddWrapped(name, call.Args[1:], command)
	z.oddRun(name, call.Args[1:])
	z.oddCode(name, call, command)
	z.oddSetting(name, call)
}

// deciding are variables that make shells run something else.
var deciding = []string{"PROMPT_COMMAND", "BASH_ENV", "ENV", "BASH_FUNC_", "BASHOPTS", "SHELLOPTS", "CDPATH", "GLOBIGNORE", "FIGNORE", "BASH_XTRACEFD", "EXECIGNORE", "BASH_LOADABLES_PATH", "command_not_found_handle"}

// oddSet looks at variables that are set: those that make shells run something,
// and PATH where it leads to a place that everybody can write to.
func (z *analyzer) oddSet(command *Command) {
	for _, name := range command.Assigned {
		if name == "BASH_ALIASES" || name == "BASH_CMDS" {
			z.odd(Indirection, name, "it changes what the name of a command means")
		}
	}
	for _, setting := range command.Settings {
		name, value, _ := strings.Cut(setting.Value, "=")
		switch {
		case name == "BASH_XTRACEFD" && isNumber(value): // where a trace goes
		case slices.Contains(deciding, name) && value != "":
			z.odd(Indirection, setting.Value, "it sets a variable that makes the shell run something else")
		case (name == "PS1" || name == "PS2" || name == "PS4" || name == "PS0") && substitutes(value):
			z.odd(Indirection, setting.Value, "it sets a prompt that runs a command")
		case name == "PATH":
			first, _, _ := strings.Cut(value, ":")
			if first == "." || first == "/tmp" || strings.HasPrefix(first, "/tmp/") || strings.HasPrefix(first, "/dev/shm") || strings.HasPrefix(first, "/var/tmp") || first == "" && value != "" {
				z.odd(Indirection, setting.Value, "it lets programs be found in a place that everybody can write to")
			}
		}
	}
}

// regular are programs whose arguments are full of backslashes for good reason.
var regular = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "perl", "tr", "find", "fd", "expr", "jq", "printf", "echo", "cut", "paste", "column", "ssed", "vim", "ed", "psql", "sqlite3", "pcregrep"}

// oddArgument looks at a word that is an argument.
func (z *analyzer) oddArgument(program string, word *syntax.Word) {
	if len(word.Parts) == 1 {
		switch part := word.Parts[0].(type) {
		case *syntax.Lit:
			if strings.HasPrefix(part.Value, `\-`) && len(part.Value) > 2 {
				z.odd(ObfuscatedWord, part.Value, "a flag is written with a backslash")
			}
			if strings.IndexByte(part.Value, '\\') > 0 {
				z.oddBackslash(program, part.Value)
			}
			if len(part.Value) > 1 && part.Value[0] == '-' && part.Value[1] != '-' && strings.IndexByte(part.Value, '{') > 0 && strings.IndexByte(part.Value, '{') < 3 && strings.Contains(part.Value, ",") && !strings.ContainsAny(part.Value, "=/*") {
				z.odd(ObfuscatedWord, part.Value, "braces hide a flag")
			}
			if part.Value != "" && part.Value[0] == '/' && strings.ContainsAny(part.Value, "?[") {
				z.oddDirectory(part.Value)
			}
			if strings.Count(part.Value, "?") >= 3 && strings.HasPrefix(part.Value, "/") && !strings.ContainsFunc(part.Value, isLetter) {
				z.odd(Glob, part.Value, "a file name pattern without any letter hides which file is meant")
			}
			return
		case *syntax.SglQuoted:
			if part.Dollar && (codesPlain(part.Value) || isPlain(part.Value)) {
				z.oddAt(ObfuscatedWord, word, "plain characters are written as codes")
			}
			return
		}
	}
	if !isEveryday(word.Parts) {
		z.oddParts(word)
	}
	z.oddQuotes(word)
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '\\') > 0 {
			z.oddBackslash(program, lit.Value)
		}
	}
}

// isEveryday says whether parts of a word hold nothing that oddParts looks for.
func isEveryday(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.CmdSubst, *syntax.ProcSubst:
		case *syntax.SglQuoted:
			if part.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if !isEveryday(part.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if !isBareParameter(part) || part.Param == nil || part.Param.Value == "IFS" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// oddParts looks at the expansions and quotes of an argument.
func (z *analyzer) oddParts(word *syntax.Word) {
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false // its commands are looked at themselves
		case *syntax.ParamExp:
			if node.Param != nil && node.Param.Value == "IFS" && (len(word.Parts) > 1 || node.Slice != nil || joinedInQuotes(word)) {
				z.oddAt(IFS, word, "it writes the blanks of a command as $IFS")
			}
		case *syntax.SglQuoted:
			if node.Dollar && codesPlain(node.Value) {
				z.oddAt(ObfuscatedWord, word, "plain characters are written as codes")
			}
		}
		return true
	})
}

func isLetter(r rune) bool { return r < 0x80 && isNameByte(byte(r)) }

// systemRoots are the directories at the root of a machine.
var systemRoots = []string{"bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr", "var"}

// oddDirectory finds a pattern in the place of a directory of the system: /e?c.
func (z *analyzer) oddDirectory(value string) {
	first, _, _ := strings.Cut(value[1:], "/")
	if !strings.ContainsAny(first, "?[") || !strings.ContainsFunc(first, isLetter) {
		return
	}
	for _, root := range systemRoots {
		if matched, err := path.Match(strings.ReplaceAll(first, "[!", "[^"), root); err == nil && matched {
			z.odd(Glob, value, "a file name pattern hides which directory of the system is meant")
			return
		}
	}
}

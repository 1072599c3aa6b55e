package shellsyntax

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// oddProgram looks at the word that says what runs.
func (z *analyzer) oddProgram(word *syntax.Word) {
	if simple, ok := plain(word); ok {
		z.oddLetters(simple.Value)
		return
	}
	shown := z.x.printed(word)
	s := shapeOf(word)
	switch {
	case s.ifs:
		z.odd(IFS, shown, "it writes the blanks of a command as $IFS")
	case s.substitutions > 0:
		z.odd(Substitution, shown, "the output of another command decides which program runs")
		if sources := z.x.namesOf(z.x.sources(word)); slices.ContainsFunc(sources, func(from string) bool { return isDecoder(from) || from == "tr" }) || slices.Contains(sources, "printf") && codesPlain(shown) {
			z.odd(Encoded, shown, "the name of the program is decoded first")
		}
	case s.parameters > 0:
		z.variableProgram(word, s, shown)
	}
	if s.glob {
		z.odd(Glob, shown, "a file name pattern decides which program runs")
	}
	if s.escapes {
		z.odd(ObfuscatedWord, shown, "the name of the program is written with character codes")
	}
	fields := z.x.first(word)
	if len(fields) == 0 {
		return
	}
	program := fields[0]
	z.oddLetters(program.Value)
	if program.Pattern != "" && s.parameters == 0 {
		if strings.Trim(program.Value, "[]") != "" {
			z.odd(Glob, shown, "a file name pattern decides which program runs")
		}
	}
	if len(fields) > 1 && s.braces {
		z.odd(ObfuscatedWord, shown, "braces hide the words of a command")
	}
	if s.braces && len(fields) == 1 && program.Static && s.parameters == 0 && !strings.ContainsAny(program.Value, "{}") {
		z.odd(ObfuscatedWord, shown, "braces hide the name of the program")
	}
	if program.Static && s.needless && isPlain(program.Value) {
		z.odd(ObfuscatedWord, shown, "the name of the program is taken apart with quotes or backslashes")
	}
}

// variableProgram looks at a program that a variable names.
func (z *analyzer) variableProgram(word *syntax.Word, s shape, shown string) {
	message := "a variable decides which program runs"
	if s.mixed {
		z.odd(Indirection, shown, "variables and text are joined to the name of a program")
		return
	}
	if v := z.x.vars[parameterOf(word)]; v != nil && v.shuffled {
		z.odd(Indirection, shown, "the order of an array's items decides which program runs")
	}
	if joinsItems(word) && mentions(z.source, "IFS=") {
		z.odd(IFS, shown, "the name of a program is joined with what IFS holds")
	}
	if z.x.separated {
		z.odd(IFS, shown, "a variable is taken apart at characters of its own (IFS)")
	}
	for _, from := range z.x.namesOf(z.x.sources(word)) {
		if isDecoder(from) {
			z.odd(Encoded, shown, "it runs text that is decoded first")
			return
		}
	}
	if z.x.isReference(word) {
		z.odd(Indirection, shown, "a variable that may be another one decides which program runs")
		return
	}
	if positional(word) {
		if !z.handsOn(word) {
			z.odd(Indirection, shown, message)
		}
		return
	}
	for _, fields := range z.x.fields(word) {
		if len(fields) == 0 || fields[0].Guess {
			continue
		}
		name := fields[0].tail()
		if name == "" || slices.Contains(risky, name) || !isPlain(name) {
			z.odd(Indirection, shown, message)
			return
		}
	}
}

// positional says whether a word is a parameter such as $1 or $@, which other
// lines of a session may set.
func positional(word *syntax.Word) bool { return empty(parameterOf(word)) }

// parameterOf is the name of the variable that a word begins with; empty: none.
func parameterOf(word *syntax.Word) string {
	parts := word.Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(parts) == 1 {
		parts = q.Parts
	}
	if p, ok := firstPart(parts).(*syntax.ParamExp); ok && p.Param != nil {
		return p.Param.Value
	}
	return ""
}

func firstPart(parts []syntax.WordPart) syntax.WordPart {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// risky are programs that nobody needs to hide behind a variable.
var risky = []string{
	"rm", "dd", "shred", "mkfs", "nc", "ncat", "netcat", "socat", "bash", "sh", "zsh", "dash", "ksh", "sudo", "su", "doas", "chmod", "chown", "kill", "killall", "pkill", "reboot", "shutdown", "halt",
	"poweroff", "eval", "exec", "source", "crontab", "at", "env", "printenv", "xargs", "base64", "truncate", "mv", "command", "builtin",
}

// tail is the last part of a path where it is known.
func (w Word) tail() string {
	value := w.Value
	if w.Unknown {
		cut := strings.LastIndexByte(value, '/')
		if cut < 0 {
			return ""
		}
		if value = value[cut+1:]; strings.ContainsAny(value, "$`(") {
			return ""
		}
		return value
	}
	return value[strings.LastIndexByte(value, '/')+1:]
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// isPlain says whether a text needs no quotes.
func isPlain(value string) bool {
	for i := range len(value) {
		if !isNameByte(value[i]) && strings.IndexByte("-./+:@", value[i]) < 0 {
			return false
		}
	}
	return value != ""
}

// oddLetters looks for letters of a program's name that are not what they seem.
func (z *analyzer) oddLetters(name string) {
	for _, r := range name {
		if r > unicode.MaxASCII && (!strings.Contains(name, "/") || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)) {
			z.odd(Unicode, name, "the name of the program has letters that look like others")
			return
		}
	}
}

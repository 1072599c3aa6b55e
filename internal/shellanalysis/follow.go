package shellanalysis

import (
	"regexp"
	"strings"
)

// follow says what the interpreter runs in the place of a call: the call itself, where
// it is a function or a builtin that only works on the state of the shell; eval with the
// text that a program would run; or a program's stub.
func (d *dryRun) follow(in *invocation) []string {
	name := in.args[0]
	if !in.Wrapped && !in.direct && d.functions[name] {
		d.called[name] = true
		return in.args
	}
	if isDynamic(name) {
		if base := name[strings.LastIndexByte(name, '/')+1:]; isDynamic(base) || base == "" {
			d.a.notUnderstood(gapOf(name), "which program runs is not known", strings.Join(in.args, " "))
			in.Opaque = "which program runs is not known"
			return []string{"true"}
		}
	}
	if !in.Wrapped && table().Builtins[name] {
		return d.builtin(in)
	}
	name = baseName(name)
	if strings.ContainsAny(name, "*?[") && name != "[" {
		d.a.notUnderstood(GlobName, "a file name pattern decides which program runs", strings.Join(in.args, " "))
		in.Opaque = "a file name pattern decides which program runs"
	}
	scripts := d.unwrap(name, in)
	if len(scripts) == 0 {
		scripts = d.interpret(name, in)
	}
	if len(scripts) > 0 {
		return d.evaluate(in, scripts...)
	}
	if table().Readers[name] {
		d.read(in)
	}
	return append([]string{internalPrefix + "run"}, in.args...)
}

func baseName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// evaluate runs scripts in the place of a call.
func (d *dryRun) evaluate(in *invocation, scripts ...script) []string {
	if len(scripts) == 0 {
		return append([]string{internalPrefix + "run"}, in.args...)
	}
	if d.scripts++; d.scripts > maxScripts {
		d.a.notUnderstood(Limit, errLimit.Error(), d.a.Source)
		return []string{"true"}
	}
	var parts []string
	for _, s := range scripts {
		if s.argv != nil {
			parts = append(parts, quoted(s.argv))
			continue
		}
		if part := d.prepared(s); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return []string{"true"}
	}
	return []string{"eval", strings.Join(parts, "\n")}
}

// script is something that a call runs: an argument list, or text for a shell.
type script struct {
	argv   []string
	text   string
	params []string // $0, $1, …; nil: those of the caller
}

// prepared is the text of a script, looked at and rewritten. A text that does not parse
// runs in part.
func (d *dryRun) prepared(s script) string {
	for _, u := range unknownsOf(s.text) {
		if u.kind != fromVariable {
			d.a.notUnderstood(gapOf(s.text), "a shell runs what is not known", s.text)
			break
		}
	}
	if len(s.text) > 4*maxValue {
		d.a.notUnderstood(Limit, errLimit.Error(), s.text)
		return ""
	}
	file, err := Parse(s.text)
	if err != nil {
		d.a.notUnderstood(Limit, "a script in the command cannot be understood: "+err.Error(), s.text)
		if file = beforeError(s.text); file == nil {
			return ""
		}
	}
	if !d.guess {
		d.a.inspect(file, s.text)
	}
	options := rewriteOptions{reversed: d.guess, loops: &d.loops}
	if len(s.params) > 0 {
		options.name = s.params[0]
	}
	stmts, err := rewrite(file.Stmts, options)
	if err != nil {
		d.a.notUnderstood(Limit, err.Error(), s.text)
		return ""
	}
	text := printed(stmts)
	if s.params == nil {
		return text
	}
	set := quoted(append([]string{internalPrefix + "quiet", "set", "--"}, s.params[1:]...))
	return "(\n" + set + "\n" + text + "\n)"
}

func quoted(args []string) string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = Quote(arg)
	}
	return strings.Join(list, " ")
}

// builtin says what runs in the place of a builtin.
func (d *dryRun) builtin(in *invocation) []string {
	switch in.args[0] {
	case "eval":
		return d.evaluate(in, script{text: strings.Join(skipOptions(in.args[1:], ""), " ")})
	case "trap":
		return trapBuiltin(d, in)
	case "alias":
		return aliasBuiltin(d, in)
	case "set":
		return setBuiltin(in)
	case "read":
		return readBuiltin(in)
	case "printf":
		return printfBuiltin(in)
	case "mapfile", "readarray":
		return mapfileBuiltin(in)
	case "exec", "command", "builtin":
		return commandBuiltin(d, in)
	case "source", ".":
		return sourceBuiltin(d, in)
	case "pwd":
		return []string{"echo", in.hc.Dir}
	case "type":
		return []string{"echo", "/usr/bin/" + in.args[len(in.args)-1]}
	case "echo", "cd", "pushd", "popd", "dirs", "test", "[", "true", "false", ":", "shift", "unset", "getopts":
		return in.args
	}
	return []string{"true"} // it ends the flow, waits, or changes how the shell works
}

func trapBuiltin(d *dryRun, in *invocation) []string {
	args := skipOptions(in.args[1:], "")
	if len(args) < 2 || args[0] == "-" || args[0] == "" {
		return []string{"true"}
	}
	return d.evaluate(in, script{text: args[0]})
}

// aliasBuiltin makes functions of aliases.
func aliasBuiltin(d *dryRun, in *invocation) []string {
	var functions []script
	for _, arg := range in.args[1:] {
		name, value, found := strings.Cut(arg, "=")
		if !found || isDynamic(name) || strings.ContainsAny(name, " '\"$`;&|<>()") || name == "" || name[0] == '-' {
			continue
		}
		functions = append(functions, script{text: name + "() {\n" + value + " \"$@\"\n}"})
	}
	return d.evaluate(in, functions...)
}

// setBuiltin leaves the options of the shell as they are.
func setBuiltin(in *invocation) []string {
	for i, arg := range in.args[1:] {
		switch {
		case arg == "--" || arg == "-":
			return append([]string{"set", "--"}, in.args[i+2:]...)
		case arg == "" || arg[0] != '-' && arg[0] != '+':
			if i > 0 && (in.args[i] == "-o" || strings.HasSuffix(in.args[i], "o")) {
				continue // the name of an option
			}
			return append([]string{"set", "--"}, in.args[i+1:]...)
		}
	}
	return []string{"true"}
}

// readBuiltin keeps the options that the interpreter knows.
func readBuiltin(in *invocation) []string {
	kept := []string{"read"}
	for i := 1; i < len(in.args); i++ {
		arg := in.args[i]
		if !strings.HasPrefix(arg, "-") {
			kept = append(kept, arg)
			continue
		}
		for j := 1; j < len(arg); j++ {
			switch arg[j] {
			case 'r', 'a':
				kept = append(kept, "-"+arg[j:j+1])
			case 'p', 'd', 't', 'n', 'N', 'u', 'i':
				if j == len(arg)-1 {
					i++
				}
				j = len(arg)
			}
		}
	}
	return kept
}

// wide are formats with a width of their own.
var wide = regexp.MustCompile(`%[-+ #0]*(\d{3,}|\*)|%[-+ #0]*\d*\.(\d{3,}|\*)`)

// printfBuiltin does what could become large itself, and knows -v.
func printfBuiltin(in *invocation) []string {
	args := in.args[1:]
	target := ""
	if len(args) > 1 && args[0] == "-v" {
		target, args = args[1], args[2:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	large := len(args) > 0 && (wide.MatchString(args[0]) || len(args[0])*len(args) > 4*maxValue)
	switch {
	case len(args) == 0:
		return []string{"true"}
	case large:
		return []string{"echo", marker(fromProgram, "printf")}
	case target != "":
		return []string{"eval", target + `=$(` + quoted(append([]string{internalPrefix + "quiet", "printf"}, args...)) +
			")"}
	}
	return append([]string{"printf"}, args...)
}

// commandBuiltin is command, builtin and exec: what they name runs, and is no function.
func commandBuiltin(d *dryRun, in *invocation) []string {
	args := in.args[1:]
	rest := skipOptions(args, "a")
	options := strings.Join(args[:len(args)-len(rest)], "")
	if in.args[0] == "command" && len(rest) > 0 && strings.ContainsAny(options, "vV") {
		return []string{"echo", "/usr/bin/" + last(args)}
	}
	if len(rest) == 0 {
		return []string{"true"}
	}
	prefix := internalPrefix + "wrapped"
	if table().Builtins[rest[0]] {
		prefix = internalPrefix + "builtin"
	}
	return d.evaluate(in, script{argv: append([]string{prefix}, rest...)})
}

func sourceBuiltin(d *dryRun, in *invocation) []string {
	if len(in.args) > 1 {
		if text, known := d.scriptFile(in, in.args[1]); known {
			return d.evaluate(in, script{text: text})
		}
	}
	return []string{"true"}
}

func mapfileBuiltin(in *invocation) []string {
	name := "MAPFILE"
	if rest := skipOptions(in.args[1:], "dnOsuCc"); len(rest) > 0 {
		name = rest[0]
	}
	return []string{"mapfile", "-t", name}
}

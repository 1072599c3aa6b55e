package shellanalysis

import (
	"slices"
	"strings"
)

// unwrap is what a program that runs others runs; nil: nothing that is known.
func (d *dryRun) unwrap(name string, in *invocation) []script {
	for _, row := range table().wraps[name] {
		if args, applies := row.behindSubcommand(in.args[1:]); applies {
			if scripts := row.scripts(d, in, args); len(scripts) > 0 {
				return scripts
			}
		}
	}
	return nil
}

// behindSubcommand are the arguments behind the row's subcommand.
func (w *wrapper) behindSubcommand(args []string) ([]string, bool) {
	if w.Sub == nil {
		return args, true
	}
	rest := w.skipOptions(args)
	for _, sub := range w.Sub {
		want := strings.Fields(sub)
		if len(rest) >= len(want) && slices.Equal(rest[:len(want)], want) {
			return rest[len(want):], true
		}
	}
	return nil, false
}

// skipOptions are the arguments behind the options, some letters of which have a value.
func skipOptions(args []string, valued string) []string {
	return (&wrapper{Options: valued}).skipOptions(args)
}

// skipOptions are the arguments behind the options.
func (w *wrapper) skipOptions(args []string) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		if w.takesValue(arg) && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

// takesValue says whether the value of an option is the next argument.
func (w *wrapper) takesValue(option string) bool {
	if name, long := strings.CutPrefix(option, "--"); long {
		return slices.Contains(w.Long, name)
	}
	if slices.Contains(w.Long, option[1:]) {
		return true
	}
	at := strings.IndexAny(option[1:], w.Options)
	return w.Options != "" && at >= 0 && at == len(option)-2
}

func (w *wrapper) scripts(d *dryRun, in *invocation, args []string) []script {
	if scripts := w.optionScripts(args); len(scripts) > 0 {
		return scripts
	}
	rest := w.skipOptions(args)
	for n := 0; n < w.Operands && len(rest) > 0; n++ {
		rest = w.skipOptions(rest[1:])
	}
	for w.Assigns && len(rest) > 0 && isAssignment(rest[0]) {
		in.Variables = append(in.Variables, word(rest[0]))
		rest = rest[1:]
	}
	switch w.Runs {
	case "find":
		return findScripts(in.args)
	case "xargs":
		return d.xargsScripts(in, rest)
	case "parallel":
		return d.parallelScripts(in, rest)
	}
	if len(rest) == 0 {
		return nil
	}
	switch w.Runs {
	case "lines":
		var scripts []script
		for _, arg := range rest {
			scripts = append(scripts, script{text: arg})
		}
		return scripts
	case "line":
		return []script{{text: strings.Join(rest, " ")}}
	}
	return []script{{argv: append([]string{internalPrefix + "wrapped"}, rest...)}}
}

// optionScripts are the texts behind options that take one for a shell.
func (w *wrapper) optionScripts(args []string) []script {
	var scripts []script
	for i := range args {
		for _, option := range w.Script {
			if value, found := valueAt(args, i, option); found && value != "" {
				scripts = append(scripts, script{text: value})
			}
		}
	}
	return scripts
}

// valueAt is the value of an option at a place in an argument list, and whether it is there.
func valueAt(args []string, i int, option string) (string, bool) {
	value, found := optionValue(args[i], option)
	if found && value == "" && i+1 < len(args) {
		value = args[i+1]
	}
	return value, found
}

// optionValue is what stands behind an option in the same argument, and whether the
// argument is that option: -cx, -lc, --command=x.
func optionValue(arg, option string) (string, bool) {
	if strings.HasPrefix(option, "--") {
		value, found := strings.CutPrefix(arg, option)
		return strings.TrimPrefix(value, "="), found && (value == "" || value[0] == '=')
	}
	if arg == option {
		return "", true
	}
	if !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "--") || len(option) != 2 {
		return "", false
	}
	before, value, found := strings.Cut(arg[1:], option[1:])
	return value, found && strings.Trim(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0") == ""
}

func isAssignment(arg string) bool {
	name, _, found := strings.Cut(arg, "=")
	return found && name != "" && !strings.ContainsAny(name, "/ -.$\"'")
}

// findScripts are what find and fd run for the files that they find.
func findScripts(args []string) []script {
	var scripts []script
	dir := "."
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		dir = args[1]
	}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
		default:
			continue
		}
		end := i + 1
		for end < len(args) && args[end] != ";" && args[end] != "+" {
			end++
		}
		if argv := args[i+1 : end]; len(argv) > 0 {
			item := strings.TrimSuffix(dir, "/") + "/" + marker(fromProgram, "find")
			if strings.HasPrefix(baseName(args[0]), "fd") && !slices.Contains(argv, "{}") {
				argv = append(slices.Clone(argv), "{}")
			}
			argv = append([]string{internalPrefix + "wrapped"}, filled(argv, "{}", item)...)
			scripts = append(scripts, script{argv: argv})
		}
		i = end
	}
	return scripts
}

// filled puts an item in the place of a placeholder.
func filled(argv []string, placeholder, item string) []string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		out[i] = arg
		if strings.Count(arg, placeholder)*len(item) < maxValue {
			out[i] = strings.ReplaceAll(arg, placeholder, item)
		}
	}
	return out
}

// maxItems is how many words a wrapper runs something for, and maxLines how many lines.
const (
	maxItems = 1000
	maxLines = maxItems / 10
)

// items are the words or lines that something is run for: what is not known in the place of none.
func (d *dryRun) items(list []string, most int) []string {
	if len(list) > most {
		d.a.notUnderstood(Limit, "a program runs for too many words to be looked at", d.a.Source)
		list = list[:most]
	}
	if len(list) == 0 {
		list = []string{""}
	}
	for i, item := range list {
		if item == "" {
			list[i] = marker(fromProgram, "xargs")
		}
	}
	return list
}

// xargsScripts are what xargs runs for the items of its input.
func (d *dryRun) xargsScripts(in *invocation, argv []string) []script {
	placeholder := ""
	for i, arg := range in.args {
		if value, found := valueAt(in.args, i, "-I"); found {
			placeholder = value
		}
		if strings.HasPrefix(arg, "-i") || strings.HasPrefix(arg, "--replace") {
			placeholder = "{}"
		}
	}
	if len(argv) == 0 {
		argv = []string{"echo"}
	}
	input := strings.ReplaceAll(d.read(in), "\x00", "\n")
	argv = append([]string{internalPrefix + "open-ended"}, argv...)
	if placeholder == "" {
		return []script{{argv: append(argv, d.items(strings.Fields(input), maxItems)...)}}
	}
	var scripts []script
	for _, line := range d.items(strings.Split(strings.TrimSpace(input), "\n"), maxLines) {
		scripts = append(scripts, script{argv: filled(argv, placeholder, line)})
	}
	return scripts
}

// parallelScripts are what GNU parallel runs: its command for each item behind :::, or
// each line of its input.
func (d *dryRun) parallelScripts(in *invocation, command []string) []script {
	var items []string
	if at := slices.Index(command, ":::"); at >= 0 {
		command, items = command[:at], command[at+1:]
	} else {
		items = strings.Split(strings.TrimSpace(d.read(in)), "\n")
	}
	text := strings.Join(command, " ")
	var scripts []script
	for _, item := range d.items(items, maxLines) {
		if text != "" && isDynamic(item) {
			item = marker(fromVariable, "item") // it is quoted
		}
		switch {
		case text == "":
			scripts = append(scripts, script{text: item})
		case strings.Contains(text, "{"):
			scripts = append(scripts, script{text: filled([]string{text}, "{}", item)[0]})
		default:
			scripts = append(scripts, script{text: text + " " + item})
		}
	}
	return scripts
}

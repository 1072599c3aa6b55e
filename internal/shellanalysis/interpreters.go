package shellanalysis

import (
	"path"
	"slices"
	"strings"
)

// interpret is what a shell runs, and lists the code that another interpreter runs; nil:
// the program is neither.
func (d *dryRun) interpret(name string, in *invocation) []script {
	if table().Shells[name] {
		return d.shell(in)
	}
	if name == "make" || name == "gmake" {
		d.checkMakefile(in)
	}
	trimmed := strings.TrimRight(name, "0123456789.")
	for i := range table().Interpreters {
		row := &table().Interpreters[i]
		if row.Names[name] || row.Names[trimmed] {
			d.interpreter(row, in)
			return nil
		}
	}
	if name := in.args[0]; strings.Contains(name, "/") && !isSystemProgram(name) {
		if text, written := d.files[absolute(in.hc.Dir, in.args[0])]; written {
			return d.program(in, text)
		}
		in.Opaque = "a program of the project runs"
		d.checkFetched(in, in.args[0])
	}
	return nil
}

// shell is what a shell runs: the text behind -c, a file, or its input.
func (d *dryRun) shell(in *invocation) []script {
	args := in.args[1:]
	for len(args) > 0 && isShellOption(args[0]) {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--version" || arg == "--help":
			return nil
		case slices.Contains(valuedShellOptions, arg):
			args = args[min(1, len(args)):]
		case arg == "--command" || hasLetter(arg, "c"):
			return commandText(args)
		case hasLetter(arg, "s"):
			return d.shellInput(in, args)
		}
	}
	if len(args) == 0 || args[0] == "-" || isStdin(args[0]) {
		return d.shellInput(in, args)
	}
	text, known := d.scriptFile(in, args[0])
	if !known {
		return nil
	}
	return []script{{text: text, params: args}}
}

func isShellOption(arg string) bool { return len(arg) > 1 && (arg[0] == '-' || arg[0] == '+') }

// hasLetter says whether an argument is short options with one of them.
func hasLetter(arg, letter string) bool {
	return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, letter)
}

var valuedShellOptions = []string{"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}

// commandText is the text behind -c and the options that follow it.
func commandText(args []string) []script {
	args = skipOptions(args, "")
	if len(args) == 0 {
		return nil
	}
	return []script{{text: args[0], params: orShell(args[1:])}}
}

func orShell(params []string) []string {
	if len(params) == 0 {
		return []string{"bash"}
	}
	return params
}

func (d *dryRun) shellInput(in *invocation, params []string) []script {
	text := d.read(in)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []script{{text: text, params: append([]string{"bash"}, params...)}}
}

func isStdin(name string) bool {
	return name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0"
}

// scriptFile is the text of a file that a shell runs; false: it is not known, and the
// invocation says so.
func (d *dryRun) scriptFile(in *invocation, name string) (string, bool) {
	if isStdin(name) || name == "-" {
		return d.read(in), true
	}
	if strings.ContainsAny(name, "*?[") {
		for file, text := range d.files {
			if ok, _ := path.Match(absolute(in.hc.Dir, name), file); ok {
				return text, true
			}
		}
	}
	d.checkName(in, name)
	text, written := d.files[absolute(in.hc.Dir, name)]
	if !written {
		in.Opaque = "what the script does is not known"
		d.checkFetched(in, name)
		return "", false
	}
	return text, true
}

// checkName tells of a script whose name is not known.
func (d *dryRun) checkName(in *invocation, name string) {
	if !isDynamic(name) || len(in.args) == 3 &&
		slices.Contains(strings.Fields(table().ChecksOnly[baseName(in.args[0])]),
			in.args[1]) {
		return
	}
	if gapOf(name) != Indirect || strings.HasPrefix(name, string(markerStart)) {
		d.a.notUnderstood(gapOf(name), "which script runs is not known", strings.Join(in.args, " "))
	}
}

// checkFetched tells of a script or program that the line downloads.
func (d *dryRun) checkFetched(in *invocation, name string) {
	for _, dir := range d.fetched {
		if strings.HasPrefix(absolute(in.hc.Dir, name), dir) {
			d.a.notUnderstood(Output, "what the line downloads is run", strings.Join(in.args, " "))
		}
	}
}

// program is what a file that the line writes runs as a program: by its first line.
func (d *dryRun) program(in *invocation, text string) []script {
	first, _, _ := strings.Cut(text, "\n")
	for i := range table().Interpreters {
		for name := range table().Interpreters[i].Names {
			if strings.HasPrefix(first, "#!") && strings.Contains(first, name) {
				d.code(table().Interpreters[i].Language, text)
				return nil
			}
		}
	}
	return []script{{text: text, params: in.args}}
}

// interpreter lists the code that an interpreter runs: from an option, a file that the
// line writes, or its input.
func (d *dryRun) interpreter(row *interpreter, in *invocation) {
	found := false
	for i := 1; i < len(in.args); i++ {
		arg := in.args[i]
		isOption := len(arg) > 1 && arg[0] == '-'
		text, last := row.code(in.args, i)
		switch {
		case last >= i:
			d.runsCode(row, in, text)
			found, i = true, last
		case !isOption && row.Sub[arg]:
		case !isOption:
			d.operand(row, in, arg, found)
			return
		case row.Ends != "" && strings.HasPrefix(arg, "-"+row.Ends):
			return
		case arg == "-"+row.File && i+1 < len(in.args):
			i++
			d.codeFile(row, in, in.args[i])
			found = true
		case len(arg) == 2 && strings.Contains(row.Valued, arg[1:]):
			i++
		}
	}
	if !found && !row.Bare {
		d.runsCode(row, in, d.read(in))
	}
}

// code is what stands in or behind an option for code, and where that ends; -1: it is none.
func (row *interpreter) code(args []string, i int) (text string, last int) {
	for _, option := range row.Code {
		if text, found := optionValue(args[i], option); found && text == "" && i+1 < len(args) {
			return args[i+1], i + 1
		} else if found {
			return text, i
		}
	}
	return "", -1
}

// operand is the first argument of an interpreter that is no option.
func (d *dryRun) operand(row *interpreter, in *invocation, arg string, found bool) {
	switch {
	case arg == "-" || isStdin(arg):
		d.runsCode(row, in, d.read(in))
	case found:
	case row.Bare:
		d.runsCode(row, in, arg)
	default:
		d.codeFile(row, in, arg)
	}
}

func (d *dryRun) codeFile(row *interpreter, in *invocation, name string) {
	if text, written := d.files[absolute(in.hc.Dir, name)]; written {
		d.runsCode(row, in, text)
		return
	}
	if gapOf(name) != Indirect {
		d.checkName(in, name)
	}
	in.Opaque = "what the script does is not known"
}

func (d *dryRun) runsCode(row *interpreter, in *invocation, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	in.Opaque = "what the code does is not known"
	for _, u := range unknownsOf(text) {
		if u.kind != fromVariable || strings.TrimSpace(text) == marker(u.kind, u.name) {
			d.a.notUnderstood(gapOf(text), "an interpreter runs what is not known", text)
			break
		}
	}
	d.code(row.Language, text)
}

func (d *dryRun) code(language, text string) {
	code := Code{Language: language, Text: render(text), Guess: d.guess}
	if len(d.a.Codes) < maxReports && !slices.ContainsFunc(d.a.Codes,
		func(c Code) bool { return c.Text == code.Text }) {
		d.a.Codes = append(d.a.Codes, code)
	}
}

// checkMakefile tells of a makefile that the line writes or pipes into make.
func (d *dryRun) checkMakefile(in *invocation) {
	for _, name := range append([]string{"Makefile", "makefile", "GNUmakefile"}, in.args[1:]...) {
		if name == "-" || isStdin(name) || d.files[absolute(in.hc.Dir, name)] != "" {
			d.a.notUnderstood(Output, "make runs what the line writes", strings.Join(in.args, " "))
		}
	}
}

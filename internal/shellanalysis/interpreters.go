package shellanalysis

import (
	"path"
	"slices"
	"strings"
)

// language is a row of the table of interpreters.
type language struct {
	names    string
	language string
	code     string // short options with code behind them
	long     []string
	bare     bool   // the first operand is the code: awk, jq
	valued   string // options with a value
	suffix   string // of its files
}

var languages = []language{
	{names: "python python2 python3 pypy pypy3 ipython micropython", language: "python", code: "c", valued: "WXm",
		suffix: ".py"},
	{names: "node nodejs deno bun qjs d8 tsx ts-node", language: "node", code: "ep", long: []string{"--eval",
		"--print"}, valued: "rC", suffix: ".js"},
	{names: "perl", language: "perl", code: "eE", valued: "", suffix: ".pl"},
	{names: "ruby jruby irb", language: "ruby", code: "e", valued: "rI", suffix: ".rb"},
	{names: "php", language: "php", code: "rBR", valued: "d", suffix: ".php"},
	{names: "lua luajit tclsh osascript rscript julia groovy elixir", language: "other", code: "eE", valued: "lo",
		suffix: ".lua"},
	{names: "awk gawk mawk nawk", language: "awk", bare: true, valued: "Fv", suffix: ".awk"},
}

var shellNames = setOf("sh bash dash ash zsh ksh mksh fish rbash busybox-sh")

// interpret is what a shell runs, and lists the code that another interpreter runs;
// false: the program is neither.
func (d *dryRun) interpret(name string, in *invocation) ([]script, bool) {
	if shellNames[name] {
		return d.shell(in), true
	}
	if name == "make" || name == "gmake" {
		return d.recipes(in), true
	}
	trimmed := strings.TrimRight(name, "0123456789.")
	for i := range languages {
		row := &languages[i]
		if names := strings.Fields(row.names); slices.Contains(names, name) || slices.Contains(names, trimmed) {
			d.interpreter(row, in)
			return nil, false
		}
	}
	if name := in.args[0]; strings.Contains(name, "/") && !isSystemProgram(name) {
		if text, written := d.files[absolute(in.hc.Dir, in.args[0])]; written {
			return d.program(in, text), true
		}
		in.opaque = "a program of the project runs"
		d.checkFetched(in, in.args[0])
	}
	return nil, false
}

// shell is what a shell runs: the text behind -c, a file, or its input.
func (d *dryRun) shell(in *invocation) []script {
	args := in.args[1:]
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		arg := args[0]
		args = args[1:]
		long := strings.HasPrefix(arg, "--")
		switch {
		case arg == "--version" || arg == "--help":
			return nil
		case slices.Contains(valuedShellOptions, arg):
			args = args[min(1, len(args)):]
		case arg == "--command" || !long && arg[0] == '-' && strings.Contains(arg, "c"):
			return commandText(args)
		case !long && strings.Contains(arg, "s"):
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

var valuedShellOptions = []string{"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}

// commandText is the text behind -c and the options that follow it.
func commandText(args []string) []script {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
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
		in.opaque = "what the script does is not known"
		d.checkFetched(in, name)
		return "", false
	}
	return text, true
}

// checksOnly are options that make an interpreter look at the syntax of a script.
var checksOnly = map[string]string{"sh": "-n", "bash": "-n", "dash": "-n", "zsh": "-n", "ruby": "-c", "perl": "-c",
	"node": "-c --check", "php": "-l"}

// checkName tells of a script whose name is not known.
func (d *dryRun) checkName(in *invocation, name string) {
	if !isDynamic(name) || len(in.args) == 3 && slices.Contains(strings.Fields(checksOnly[baseName(in.args[0])]),
		in.args[1]) {
		return
	}
	if gapOf(name) != GapVariable || strings.HasPrefix(name, string(markerStart)) {
		d.a.notUnderstood(gapOf(name), "which script runs is not known", strings.Join(in.args, " "))
	}
}

// checkFetched tells of a script or program that the line downloads.
func (d *dryRun) checkFetched(in *invocation, name string) {
	for _, dir := range d.fetched {
		if strings.HasPrefix(absolute(in.hc.Dir, name), dir) {
			d.a.notUnderstood(GapOutput, "what the line downloads is run", strings.Join(in.args, " "))
		}
	}
}

// program is what a file that the line writes runs as a program: by its first line.
func (d *dryRun) program(in *invocation, text string) []script {
	first, _, _ := strings.Cut(text, "\n")
	for i := range languages {
		for _, name := range strings.Fields(languages[i].names) {
			if strings.HasPrefix(first, "#!") && strings.Contains(first, name) {
				d.code(languages[i].language, text)
				return nil
			}
		}
	}
	return []script{{text: text, params: in.args}}
}

// interpreter lists the code that an interpreter runs: from an option, a file that the
// line writes, or its input.
func (d *dryRun) interpreter(row *language, in *invocation) {
	args := in.args[1:]
	found := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		text, is := row.codeIn(args, i)
		switch {
		case is:
			d.runsCode(row, in, text)
			found = true
			if !strings.HasSuffix(arg, text) {
				i++
			}
		case arg == "-" || isStdin(arg):
			d.runsCode(row, in, d.read(in))
			return
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			if row.language == "python" && strings.HasPrefix(arg, "-m") {
				return
			}
			if row.language == "awk" && arg == "-f" && i+1 < len(args) {
				d.codeFile(row, in, args[i+1])
				found = true
				i++
			} else if len(arg) == 2 && strings.Contains(row.valued, arg[1:]) {
				i++
			}
		case found:
			return
		case row.bare:
			d.runsCode(row, in, arg)
			return
		case arg == "eval" || arg == "repl" || arg == "run" || arg == "-": // subcommands of deno and bun
			if arg == "eval" && i+1 < len(args) {
				d.runsCode(row, in, args[i+1])
				return
			}
		default:
			d.codeFile(row, in, arg)
			return
		}
	}
	if !found && !row.bare {
		d.runsCode(row, in, d.read(in))
	}
}

// codeIn is the code that an argument, or the one behind it, gives to an interpreter.
func (row *language) codeIn(args []string, i int) (string, bool) {
	for _, option := range row.long {
		if value, found := optionValue(args[i], option); found {
			if value == "" && i+1 < len(args) {
				value = args[i+1]
			}
			return value, true
		}
	}
	for _, letter := range strings.Split(row.code, "") {
		if letter == "" {
			continue
		}
		if value, found := optionValue(args[i], "-"+letter); found {
			if value == "" && i+1 < len(args) {
				value = args[i+1]
			}
			return value, true
		}
	}
	return "", false
}

func (d *dryRun) codeFile(row *language, in *invocation, name string) {
	if text, written := d.files[absolute(in.hc.Dir, name)]; written {
		d.runsCode(row, in, text)
		return
	}
	if gapOf(name) != GapVariable {
		d.checkName(in, name)
	}
	in.opaque = "what the script does is not known"
}

func (d *dryRun) runsCode(row *language, in *invocation, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	in.opaque = "what the code does is not known"
	for _, u := range unknownsOf(text) {
		if u.kind != fromVariable || strings.TrimSpace(text) == marker(u.kind, u.name) {
			d.a.notUnderstood(gapOf(text), "an interpreter runs what is not known", text)
			break
		}
	}
	d.code(row.language, text)
}

func (d *dryRun) code(language, text string) {
	code := Code{Language: language, Text: render(text), Guess: d.guess}
	if len(d.a.Codes) < maxReports && !slices.ContainsFunc(d.a.Codes,
		func(c Code) bool { return c.Text == code.Text }) {
		d.a.Codes = append(d.a.Codes, code)
	}
}

// recipes are the commands of a makefile that the line writes.
func (d *dryRun) recipes(in *invocation) []script {
	names := []string{"Makefile", "makefile", "GNUmakefile"}
	for i, arg := range in.args {
		if (arg == "-f" || arg == "--file") && i+1 < len(in.args) {
			names = []string{in.args[i+1]}
		}
	}
	var scripts []script
	for _, name := range names {
		text, written := d.files[absolute(in.hc.Dir, name)]
		if !written && (isStdin(name) || name == "-") {
			text = d.read(in)
		}
		replace := strings.NewReplacer("$(HOME)", homeDir, "${HOME}", homeDir, "$$", "$", "$@", "target", "$<",
			"source", "$^", "sources")
		for line := range strings.SplitSeq(text, "\n") {
			if recipe, is := strings.CutPrefix(line, "\t"); is && len(scripts) < 100 {
				recipe = makeVariable.ReplaceAllString(replace.Replace(recipe), "$1")
				scripts = append(scripts, script{text: strings.TrimLeft(recipe, "@-+ ")})
			}
		}
	}
	return scripts
}

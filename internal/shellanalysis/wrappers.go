package shellanalysis

import (
	"slices"
	"strings"
)

// wrapper is a row of the table of programs that run other programs.
type wrapper struct {
	names    string   // of programs
	sub      []string // subcommands that run something; nil: the program itself does
	options  string   // short options with a value behind them
	long     []string // long options with a value behind them
	operands int      // words between the options and the command: a host, a duration
	assigns  bool     // NAME=value may stand in front of the command
	script   []string // options whose value is a text for a shell
	shell    bool     // the command is text for a shell: its words are joined
	shellOne bool     // the same, where it is one word
}

// wrappers are the programs that run the program that their words name. A new one is a row.
var wrappers = []wrapper{
	{names: "sudo doas run0 please calife", options: "ugCDhpRrtTU", long: []string{"user", "group", "host", "prompt",
		"chdir", "close-from", "role", "type", "chroot"}, assigns: true},
	{names: "env", options: "uC", long: []string{"unset", "chdir"}, script: []string{"-S", "--split-string"},
		assigns: true},
	{names: "su runuser", options: "gGsw", long: []string{"shell", "group", "user"}, script: []string{"-c", "--command",
		"--session-command"}, operands: 9},
	{names: "pkexec gksudo kdesudo", options: "u", long: []string{"user"}},
	{names: "gosu su-exec setpriv sg", operands: 1, script: []string{"-c"}},
	{names: "nohup setsid chronic unbuffer dbus-launch dbus-run-session xvfb-run rlwrap eatmydata catchsegv torsocks " +
		"torify tsocks proxychains proxychains4 pkgx ccache sccache doppler", options: "nesf"},
	{names: "nice ionice chrt taskset prlimit cpulimit softlimit numactl choom setarch linux64 faketime",
		options: "ncpfoml", long: []string{"adjustment", "class", "classdata"}},
	{names: "stdbuf", options: "ioe", long: []string{"input", "output", "error"}},
	{names: "time gtime", options: "fo", long: []string{"format", "output"}},
	{names: "timeout gtimeout timelimit", options: "ks", long: []string{"kill-after", "signal"}, operands: 1},
	{names: "strace ltrace valgrind perf", options: "eopuEPsaIO", long: []string{"output", "trace"}},
	{names: "chroot nsenter unshare systemd-nspawn bwrap firejail proot", options: "tSGDr", long: []string{"userspec",
		"groups", "target", "map-user"}, operands: 0},
	{names: "flock", options: "wE", long: []string{"timeout", "conflict-exit-code"}, operands: 1, script: []string{"-c",
		"--command"}},
	{names: "script", options: "EIOTBo", script: []string{"-c", "--command"}, operands: 9},
	{names: "watch viddy", options: "nq", long: []string{"interval", "equexit"}, shell: true},
	{names: "ssh slogin autossh mosh", options: "bcDEeFIiJLlmOopQRSWw", operands: 1, shell: true},
	{names: "busybox toybox", options: ""},
	{names: "split gsplit", script: []string{"--filter"}, operands: 99},
	{names: "entr", options: ""},
	{names: "watchexec nodemon", options: "wefio", long: []string{"watch", "exts", "ext", "ignore", "filter"},
		script: []string{"-x", "--exec"}, shellOne: true},
	{names: "docker podman nerdctl", sub: []string{"run", "exec", "create"}, options: "veupwlmhceH",
		long: containerOptions, operands: 1},
	{names: "docker podman nerdctl docker-compose podman-compose", sub: []string{"compose run", "compose exec", "run",
		"exec"}, options: "veupwlmhfH", long: containerOptions, operands: 1},
	{names: "kubectl oc", sub: []string{"exec", "run", "debug"}, options: "ncfl", long: []string{"namespace",
		"container", "image", "context", "kubeconfig"}, operands: 1},
	{names: "lxc incus", sub: []string{"exec"}, operands: 1},
	{names: "tmux", sub: []string{"new", "new-session", "neww", "new-window", "respawn-pane", "split-window",
		"run-shell", "run", "if-shell"}, options: "sntcxyeF", shell: true},
	{names: "screen byobu dtach abduco", options: "SchpeTsAn"},
	{names: "systemd-run machinectl", options: "pMuHE", long: []string{"unit", "property", "description", "slice",
		"uid", "gid", "on-calendar", "on-active", "on-boot", "working-directory"}, assigns: true},
	{names: "npx bunx pnpx", script: []string{"-c", "--call"}, options: "p", long: []string{"package"}},
	{names: "poetry pipenv uv pdm hatch rye bundle conda mamba pixi mise asdf direnv nix-shell op", sub: []string{"run",
		"exec"}, options: "npPc", long: []string{"with", "package", "python", "name", "prefix"}},
	{names: "npm pnpm yarn", sub: []string{"exec", "dlx"}, options: "a"},
	{names: "heroku", sub: []string{"run"}, options: "a", long: []string{"app"}},
	{names: "git", sub: []string{"submodule foreach"}, shell: true},
	{names: "git", sub: []string{"bisect run"}},
	{names: "git", sub: []string{"rebase"}, script: []string{"-x", "--exec"}, operands: 99},
	{names: "git", sub: []string{"filter-branch"}, script: []string{"--tree-filter", "--index-filter", "--env-filter",
		"--msg-filter", "--commit-filter", "--setup"}, operands: 99},
	{names: "start-stop-daemon", script: []string{"--exec", "-x", "--startas", "-a"}, operands: 99},
	{names: "coproc", options: ""},
	{names: "at batch", operands: 99},
	{names: "hyperfine", shellOne: true, options: "wrmpsc", long: []string{"warmup", "runs", "prepare", "setup",
		"cleanup", "export-json", "export-markdown"}},
	{names: "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-musl-x86_64.so.1", options: ""},
	{names: "fd fdfind", script: []string{}, operands: 99},
}

var containerOptions = strings.Fields(`volume env user publish workdir label memory hostname name network net mount entrypoint env-file add-host cpus device dns
	expose gpus ip ipc label-file log-driver log-opt mac-address pid platform pull restart runtime security-opt shm-size stop-signal tmpfs ulimit userns
	cap-add cap-drop cgroup-parent cidfile file project-name profile project-directory`)

// unwrap is what a program that runs others runs; false: it is none.
func (d *dryRun) unwrap(name string, in *invocation) ([]script, bool) {
	switch name {
	case "find", "fd", "fdfind":
		return findScripts(in.args), true
	case "xargs", "gxargs":
		return d.xargsScripts(in), true
	case "parallel":
		return d.parallelScripts(in), true
	}
	for i := range wrappers {
		row := &wrappers[i]
		if !slices.Contains(strings.Fields(row.names), name) {
			continue
		}
		if args, applies := row.behindSubcommand(in.args[1:]); applies {
			if scripts := row.scripts(d, in, args); len(scripts) > 0 {
				return scripts, true
			}
		}
	}
	return nil, false
}

// behindSubcommand are the arguments behind the row's subcommand.
func (w *wrapper) behindSubcommand(args []string) ([]string, bool) {
	if w.sub == nil {
		return args, true
	}
	rest := w.skipOptions(args)
	for _, sub := range w.sub {
		want := strings.Fields(sub)
		if len(rest) >= len(want) && slices.Equal(rest[:len(want)], want) {
			return rest[len(want):], true
		}
	}
	return nil, false
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
		return slices.Contains(w.long, name)
	}
	if slices.Contains(w.long, option[1:]) {
		return true
	}
	at := strings.IndexAny(option[1:], w.options)
	return w.options != "" && at >= 0 && at == len(option)-2
}

func (w *wrapper) scripts(d *dryRun, in *invocation, args []string) []script {
	var scripts []script
	for i, arg := range args {
		for _, option := range w.script {
			value, found := optionValue(arg, option)
			if found && value == "" && i+1 < len(args) {
				value = args[i+1]
			}
			if found && value != "" {
				scripts = append(scripts, script{text: value})
			}
		}
	}
	if len(scripts) > 0 {
		return scripts
	}
	rest := w.skipOptions(args)
	for n := 0; n < w.operands && len(rest) > 0; n++ {
		rest = w.skipOptions(rest[1:])
	}
	for w.assigns && len(rest) > 0 && isAssignment(rest[0]) {
		in.variables = append(in.variables, rest[0])
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		return nil
	case w.shellOne:
		for _, arg := range rest {
			scripts = append(scripts, script{text: arg})
		}
		return scripts
	case w.shell:
		return []script{{text: strings.Join(rest, " ")}}
	}
	return []script{{argv: wrappedCall(rest, internalPrefix+"wrapped")}}
}

func wrappedCall(argv []string, prefix string) []string { return append([]string{prefix}, argv...) }

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
			scripts = append(scripts, script{argv: wrappedCall(filled(argv, "{}", item), internalPrefix+"wrapped")})
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

// maxItems is how many items a wrapper runs something for.
const maxItems = 1000

// xargsScripts are what xargs runs for the items of its input.
func (d *dryRun) xargsScripts(in *invocation) []script {
	row := &wrapper{options: "aEeIiLlnPsd", long: []string{"arg-file", "delimiter", "max-args", "max-lines",
		"max-procs", "max-chars", "replace"}}
	placeholder := ""
	for i, arg := range in.args {
		if value, found := optionValue(arg, "-I"); found {
			if placeholder = value; value == "" && i+1 < len(in.args) {
				placeholder = in.args[i+1]
			}
		}
		if strings.HasPrefix(arg, "-i") || strings.HasPrefix(arg, "--replace") {
			placeholder = "{}"
		}
	}
	argv := row.skipOptions(in.args[1:])
	if len(argv) == 0 {
		argv = []string{"echo"}
	}
	input := strings.ReplaceAll(d.read(in), "\x00", "\n")
	items := strings.Fields(input)
	if len(items) == 0 {
		items = []string{marker(fromProgram, "xargs")}
	}
	if len(items) > maxItems {
		d.a.notUnderstood(GapLimit, "xargs gets too many words to be looked at", d.a.Source)
		items = items[:maxItems]
	}
	prefix := internalPrefix + "open-ended"
	if placeholder == "" {
		return []script{{argv: wrappedCall(slices.Concat(argv, items), prefix)}}
	}
	var scripts []script
	lines := strings.Split(strings.TrimSpace(input), "\n")
	if len(lines) > maxItems/10 {
		d.a.notUnderstood(GapLimit, "xargs gets too many lines to be looked at", d.a.Source)
		lines = lines[:maxItems/10]
	}
	for _, line := range lines {
		if line == "" {
			line = marker(fromProgram, "xargs")
		}
		scripts = append(scripts, script{argv: wrappedCall(filled(argv, placeholder, line), prefix)})
	}
	return scripts
}

// parallelScripts are what GNU parallel runs: its command for each item behind :::, or
// each line of its input.
func (d *dryRun) parallelScripts(in *invocation) []script {
	row := &wrapper{options: "jaSNnLsdI", long: []string{"jobs", "arg-file", "sshlogin", "delay", "timeout", "joblog",
		"results", "colsep"}}
	command := row.skipOptions(in.args[1:])
	var items []string
	if at := slices.Index(command, ":::"); at >= 0 {
		command, items = command[:at], command[at+1:]
	} else {
		items = strings.Split(strings.TrimSpace(d.read(in)), "\n")
	}
	text := strings.Join(command, " ")
	var scripts []script
	if len(items) > maxItems/10 {
		d.a.notUnderstood(GapLimit, "parallel gets too many items to be looked at", d.a.Source)
		items = items[:maxItems/10]
	}
	for _, item := range items {
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

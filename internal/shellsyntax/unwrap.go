package shellsyntax

import (
	"slices"
	"strings"
)

// inside is what a command runs in its turn.
type inside struct {
	as       string    // how it is named in Via
	commands []Command // programs with their words
	scripts  []string  // command lines
	args     []Word    // of them: $0, $1 and so on
	opaque   string

	reads, writes []Word   // files
	shapes        []string // of rules that are about it
}

// wrapper is a program whose words are, behind its own options, another command.
type wrapper struct {
	valued string // short options that take a value
	long   []string
	skip   int  // own words in front of the command
	open   bool // it adds words of its own
	assign bool // NAME=value words come first
}

var wrappers = map[string]wrapper{
	"command": {}, "builtin": {}, "exec": {valued: "a"}, "nohup": {}, "setsid": {}, "time": {valued: "fo"},
	"env":     {valued: "uCS", long: []string{"--unset", "--chdir", "--split-string"}, assign: true},
	"timeout": {valued: "ks", long: []string{"--kill-after", "--signal"}, skip: 1},
	"nice":    {valued: "n", long: []string{"--adjustment"}}, "ionice": {valued: "cnpPu"}, "chrt": {skip: 1}, "taskset": {skip: 1},
	"stdbuf": {valued: "ioe", long: []string{"--input", "--output", "--error"}},
	"sudo":   {valued: "CDghpRrTtUu", long: []string{"--user", "--group", "--host", "--prompt", "--chdir", "--chroot"}, assign: true},
	"doas":   {valued: "Cu"}, "pkexec": {valued: "u"}, "runuser": {valued: "ugGc"},
	"xargs":  {valued: "adEIiLlnPs", long: []string{"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-lines", "--replace", "--eof", "--max-chars"}, open: true},
	"chroot": {skip: 1}, "unshare": {}, "nsenter": {valued: "tSG"}, "busybox": {}, "toybox": {}, "watch": {valued: "n"},
	"strace": {valued: "eopsuaEIOPSX"}, "ltrace": {valued: "eopsun"}, "parallel": {valued: "jNn", open: true}, "setpriv": {}, "prlimit": {}, "flock": {valued: "wE", skip: 1},
	"catchsegv": {}, "eatmydata": {}, "fakeroot": {},
}

// shells run the command line that follows -c, a file, or what they read.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "su"}

// IsShell says whether a program is a shell.
func IsShell(name string) bool { return slices.Contains(shells, name) }

// unwrap says what a command runs in its turn.
func unwrap(command *Command, document *Word) inside {
	name := command.Name()
	args := command.Words[min(1, len(command.Words)):]
	switch {
	case name == "":
		return inside{}
	case name == "eval":
		return evaluated(name, args, " ")
	case name == "trap" || name == "alias":
		return quotedCommands(name, args)
	case name == "source" || name == ".":
		return inside{opaque: "the file that it runs is not looked at"}
	case name == "ssh" || name == "slogin" || name == "autossh":
		return remote(name, args)
	case name == "compgen":
		return completed(args)
	case name == "find" || name == "fd":
		return found(name, args)
	case name == "git":
		return gitRuns(args, command.Piped || document != nil)
	case IsShell(name):
		return shellInside(name, args, command, document)
	}
	if w, known := wrappers[name]; known {
		return w.unwrap(name, args)
	}
	return carried(name, args)
}

// carriers run the command behind their own words somewhere else, or under watch.
var carriers = []string{
	"docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "lxc", "mosh", "bundle", "poetry", "pipenv", "uv", "rye", "hatch", "conda", "mise", "asdf", "direnv", "nix-shell", "nix", "npx", "npm", "pnpm", "yarn", "bunx",
	"cross-env", "dotenv", "valgrind", "perf", "chronic", "daemon", "softlimit", "cpulimit", "unbuffer", "xvfb-run", "dbus-run-session", "systemd-run", "wine", "proxychains", "torsocks", "firejail", "bwrap", "screen", "tmux", "entr", "watchexec", "nodemon",
}

// carried is the command line that a program hands to a shell: docker run x sh -c '…'.
func carried(name string, args []Word) inside {
	if !slices.Contains(carriers, name) {
		return inside{}
	}
	for i := 0; i+2 < len(args); i++ {
		shell, flag := args[i].tail(), args[i+1].Value
		if IsShell(shell) && strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.HasSuffix(flag, "c") && args[i+2].Static {
			return inside{as: name, scripts: []string{args[i+2].Value}}
		}
	}
	return inside{}
}

// evaluated joins words to a command line.
func evaluated(name string, args []Word, separator string) inside {
	var values []string
	for _, arg := range args {
		if !arg.Static {
			return inside{as: name, opaque: "what " + name + " runs is not known before it runs"}
		}
		values = append(values, arg.Value)
	}
	if len(values) > 0 && values[0] == "--" {
		values = values[1:]
	}
	return inside{as: name, scripts: []string{strings.Join(values, separator)}}
}

// quotedCommands are the command lines in the words of trap and alias.
func quotedCommands(name string, args []Word) inside {
	in := inside{as: name}
	for i, arg := range args {
		if strings.HasPrefix(arg.Value, "-") {
			continue
		}
		text := arg.Value
		if name == "alias" {
			_, value, assigned := strings.Cut(text, "=")
			if !assigned {
				continue
			}
			text = value
		} else if i > 0 || text == "" {
			break // names of signals
		}
		if !arg.Static {
			return inside{as: name, opaque: "what " + name + " runs is not known before it runs"}
		}
		in.scripts = append(in.scripts, text)
	}
	return in
}

// found are the commands of find -exec and its kind.
func found(name string, args []Word) inside {
	in := inside{as: name}
	deletes := false
	for i := 0; i < len(args); i++ {
		if !args[i].Static {
			if strings.HasPrefix(args[i].Value, "$") {
				in.opaque = "a word of find that may be -exec is not known before it runs"
			}
			continue
		}
		switch args[i].Value {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X":
			end := i + 1
			for end < len(args) && args[end].Value != ";" && args[end].Value != "+" {
				end++
			}
			if end > i+1 {
				in.commands = append(in.commands, Command{Words: args[i+1 : end], Open: true})
			}
			i = end
		case "-delete":
			if deletes {
				continue
			}
			deletes = true
			in.commands = append(in.commands, Command{Found: true, Words: append([]Word{{Value: "rm", Static: true}, {Value: "-r", Static: true}, {Value: "-f", Static: true}}, startingPoints(args)...)})
		}
	}
	return in
}

// startingPoints are the directories that find looks into.
func startingPoints(args []Word) []Word {
	for i, arg := range args {
		if strings.HasPrefix(arg.Value, "-") || arg.Value == "(" || arg.Value == "!" {
			return args[:i]
		}
	}
	return args
}

// shellInside is what a shell runs: -c, its standard input, or a file.
func shellInside(name string, args []Word, command *Command, document *Word) inside {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case !arg.Static:
			return inside{as: name, opaque: "what " + name + " runs is not known before it runs"}
		case strings.HasPrefix(arg.Value, "-") && !strings.HasPrefix(arg.Value, "--") && strings.Contains(arg.Value, "c"), arg.Value == "--command":
			as := name + " -c"
			rest := args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].Value, "-") {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return inside{as: as}
			}
			if !rest[0].Static {
				return inside{as: as, opaque: "what " + as + " runs is not known before it runs"}
			}
			return inside{as: as, scripts: []string{rest[0].Value}, args: rest[1:]}
		case arg.Value == "-o" || arg.Value == "+o" || arg.Value == "-O" || arg.Value == "--rcfile" || arg.Value == "--init-file":
			i++
		case strings.HasPrefix(arg.Value, "-") || strings.HasPrefix(arg.Value, "+"):
		case name == "su":
			// the user
		default:
			return inside{as: name, opaque: "the file that " + name + " runs is not looked at"}
		}
	}
	switch {
	case slices.ContainsFunc(args, func(w Word) bool { return w.Value == "--version" || w.Value == "--help" }):
		return inside{}
	case document != nil && document.Static:
		return inside{as: name, scripts: []string{document.Value}}
	case document != nil || command.Piped:
		return inside{as: name, opaque: name + " runs what it reads, which is not known before"}
	}
	return inside{as: name, opaque: name + " runs what it reads"}
}

func (w wrapper) unwrap(name string, args []Word) inside {
	in := inside{as: name}
	skip := w.skip
	for i := 0; i < len(args); i++ {
		arg := args[i]
		value := arg.Value
		switch {
		case !arg.Static && i == 0 || !arg.Static && skip == 0:
			in.opaque = "what " + name + " runs is not known before it runs"
			return in
		case value == "--":
		case name == "env" && (value == "-S" || strings.HasPrefix(value, "-S") || strings.HasPrefix(value, "--split-string")):
			text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(value, "--split-string"), "-S"), "=")
			rest := args[i+1:]
			if text != "" {
				rest = append([]Word{{Value: text, Static: arg.Static}}, rest...)
			}
			return evaluated("env -S", rest, " ")
		case slices.Contains(w.long, value), len(value) == 2 && value[0] == '-' && strings.IndexByte(w.valued, value[1]) >= 0:
			i++ // its value
		case strings.HasPrefix(value, "-") && len(value) > 1:
		case w.assign && strings.Contains(value, "=") && isName(value[:strings.IndexByte(value, '=')]):
			in.commands = append(in.commands, Command{Assigned: []string{value[:strings.IndexByte(value, '=')]}, Settings: []Word{arg}})
		case skip > 0:
			skip--
		default:
			in.commands = append(in.commands, Command{Words: args[i:], Open: w.open})
			return in
		}
	}
	return in
}

func isName(text string) bool {
	for i, r := range text {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}

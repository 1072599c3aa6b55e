package shellsyntax

import (
	"path"
	"slices"
	"strings"
)

// cmakeTool finds the commands of cmake -E, which are those of other systems under
// names of their own.
func cmakeTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	if len(args) < 2 || args[0].Value != "-E" {
		return
	}
	as := func(words ...string) {
		command := Command{}
		for _, word := range words {
			command.Words = append(command.Words, Word{Value: word, Static: true})
		}
		command.Words = append(command.Words, args[2:]...)
		in.commands = append(in.commands, command)
	}
	switch args[1].Value {
	case "rm", "cat", "touch", "tar":
		as(args[1].Value)
	case "remove":
		as("rm")
	case "remove_directory":
		as("rm", "-r", "-f")
	case "copy", "copy_if_different", "copy_if_newer":
		as("cp")
	case "copy_directory", "copy_directory_if_different", "copy_directory_if_newer":
		as("cp", "-r")
	case "rename":
		as("mv")
	case "create_symlink":
		as("ln", "-s")
	case "create_hardlink":
		as("ln")
	case "env":
		as("env")
	case "time":
		in.commands = append(in.commands, Command{Words: args[2:]})
	case "chdir":
		if len(args) > 3 {
			in.commands = append(in.commands, Command{Words: []Word{{Value: "cd", Static: true}, args[2]}}, Command{Words: args[3:]})
			if wide(args[2]) && slices.ContainsFunc(args[3:], func(w Word) bool { return w.Value == "rm" }) {
				in.shape(tellsProgram)
			}
		}
	}
}

// findTool finds the files that find writes.
func findTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i := 0; i+1 < len(args); i++ {
		switch args[i].Value {
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			in.writes = append(in.writes, args[i+1])
		case "-files0-from":
			in.reads = append(in.reads, args[i+1])
		}
	}
}

// wide says whether a directory is that of all, or holds the home directories.
func wide(w Word) bool {
	to := w.Value
	for _, home := range []string{"$HOME", "${HOME}"} {
		if rest, found := strings.CutPrefix(to, home); found {
			to = "~" + rest
		}
	}
	if to == "" {
		return false
	}
	switch to = path.Clean(to); to {
	case "/", "~", "/home", "/root", "/Users", "/*", "/usr", "/var", "/opt", "/srv":
		return true
	}
	for _, homes := range []string{"/home/", "/Users/"} {
		if rest, found := strings.CutPrefix(to, homes); found && !strings.Contains(rest, "/") {
			return true
		}
	}
	return to[0] == '~' && !strings.Contains(to, "/")
}

// rsyncValued are options of rsync with a value behind them.
var rsyncValued = []string{"-e", "-f", "-B", "-T", "-M", "--rsh", "--exclude", "--include", "--filter", "--exclude-from", "--include-from", "--files-from", "--backup-dir", "--suffix", "--log-file", "--log-file-format", "--port", "--password-file", "--timeout", "--bwlimit", "--chmod", "--chown", "--max-size", "--min-size", "--max-delete", "--out-format", "--partial-dir", "--temp-dir", "--compare-dest", "--copy-dest", "--link-dest", "--rsync-path", "--info", "--debug"}

// rsyncTool finds a mirror that empties the project, the home directory or what is above.
func rsyncTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	deletes := false
	var places []Word
	for i := 0; i < len(args); i++ {
		switch value := args[i].Value; {
		case slices.Contains(rsyncValued, value):
			i++
		case value == "--dry-run" || value == "--list-only":
			return
		case value == "--del" || strings.HasPrefix(value, "--delete") || value == "--remove-source-files":
			deletes = true
		case len(value) > 1 && value[0] == '-' && value[1] != '-':
			if strings.Contains(value, "n") && !strings.Contains(value, "e") {
				return
			}
		case strings.HasPrefix(value, "--"):
		default:
			places = append(places, args[i])
		}
	}
	if !deletes || len(places) < 2 {
		return
	}
	to := places[len(places)-1]
	clean := path.Clean(to.Value)
	emptied := slices.ContainsFunc(places[:len(places)-1], func(w Word) bool {
		return strings.Contains(w.Value, "mktemp") || strings.HasPrefix(w.Value, "/dev/") || strings.Contains(path.Base(w.Value), "empty")
	})
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../..") || clean == "*" || clean == "$PWD" || clean == "${PWD}" || strings.HasPrefix(clean, "$(pwd") || clean == ".git" || wide(to) || emptied && !strings.HasPrefix(clean, "/tmp/") && !isBuilt(clean) {
		in.shape(mirrorsAway)
	}
}

// isBuilt says whether a directory is one that builds make anew.
func isBuilt(name string) bool {
	return slices.Contains([]string{"build", "dist", "target", "out", "node_modules", "tmp", "cache", "coverage"}, path.Base(name))
}

// unpackTool finds archives that are unpacked over the machine or a home directory.
func unpackTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	name := c.Name()
	extracts := name == "unzip"
	if len(args) > 0 && (name == "7z" || name == "7za" || name == "unrar") {
		extracts = args[0].Value == "x" || args[0].Value == "e"
	}
	var to []Word
	absolute := false
	for i := 0; i < len(args); i++ {
		value := args[i].Value
		short := len(value) > 1 && value[0] == '-' && value[1] != '-'
		switch name {
		case "unzip":
			if short && strings.ContainsAny(value, "lvtpZz") && !strings.HasPrefix(value, "-d") {
				return
			}
			if place, next, found := option(args, i, "d"); found {
				to, i = append(to, place), next-1
			}
			absolute = absolute || value == "-:"
		case "7z", "7za":
			if place, found := strings.CutPrefix(value, "-o"); found {
				to = append(to, part(args[i], place))
			}
		case "unrar":
			if i > 1 && !short {
				to = append(to, args[i])
			}
		case "cpio", "bsdcpio":
			extracts = extracts || short && strings.Contains(value, "i") || value == "--extract"
			if place, next, found := option(args, i, "D", "--directory"); found {
				to, i = append(to, place), next-1
			}
		default:
			flags := i == 0 && !strings.HasPrefix(value, "-") || short
			extracts = extracts || flags && strings.Contains(value, "x") && !strings.HasPrefix(value, "-C") || value == "--extract" || value == "--get"
			absolute = absolute || flags && strings.Contains(value, "P") && !strings.HasPrefix(value, "-C") || value == "--absolute-names"
			if place, next, found := option(args, i, "C", "--directory", "--cd"); found {
				to, i = append(to, place), next-1
			} else if flags && i == 0 && strings.Contains(value, "C") && !short { // tar xCf DIR FILE
				to = append(to, args[1:min(3, len(args))]...)
			}
		}
	}
	if extracts && (absolute || slices.ContainsFunc(to, wide)) {
		in.shape(unpacksWide)
	}
}

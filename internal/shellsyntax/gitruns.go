package shellsyntax

import (
	"slices"
	"strings"
)

// builders build and test. Whoever makes another program run one of them, or one of the
// lookers, is judged as if it stood alone.
var builders = []string{
	"make", "gmake", "ninja", "cmake", "ctest", "meson", "bazel", "npm", "pnpm", "yarn", "bun", "npx", "jest", "vitest", "go", "cargo", "mvn", "gradle", "dotnet", "pytest", "tox", "ruff", "rake", "rspec", "mix", "swift", "git",
}

// lookers look at the files which they are given, or move them, and run nothing of them.
var lookers = []string{
	"ls", "gofmt", "pwd", "cat", "echo", "printf", "test", "[", "true", "false", ":", "cd", "grep", "wc", "head", "tail", "sort", "uniq", "du", "diff", "exit", "date", "basename", "dirname", "tr", "cut", "column", "nl", "tac", "less", "uname", "hostname", "nproc",
	"mv", "cp", "mkdir", "touch", "file", "stat", "md5sum", "sha256sum", "gunzip", "gzip", "iconv", "dos2unix", "convert", "ffmpeg", "jq", "read", "[[", "local", "optipng", "pngquant", "jpegoptim", "pandoc", "clang-format", "prettier", "black", "isort", "shfmt", "shellcheck", "identify", "rustfmt", "goimports", "xmllint", "sha1sum", "cksum",
}

// gitRuns is what git runs in its turn: git bisect run, git submodule foreach and git
// rebase --exec. What is not one of the everyday programs is left to a person.
func gitRuns(args []Word, reads bool) inside {
	for i := 0; i+1 < len(args); i++ {
		switch args[i].Value {
		case "bisect":
			if args[i+1].Value == "run" && i+2 < len(args) {
				return gitInside(args[i+2:], false, reads)
			}
		case "submodule":
			rest := args[i+1:]
			for len(rest) > 0 && (rest[0].Value == "--quiet" || rest[0].Value == "-q") {
				rest = rest[1:]
			}
			if len(rest) == 0 || rest[0].Value != "foreach" {
				continue
			}
			for rest = rest[1:]; len(rest) > 0 && strings.HasPrefix(rest[0].Value, "-"); {
				rest = rest[1:]
			}
			return gitInside(rest, true, reads)
		case "rebase":
			return rebased(args[i+1:], reads)
		}
	}
	return inside{}
}

// notSeen says that a person has to look at what git runs.
var notSeen = inside{as: "git", opaque: "what git runs is not known before it runs"}

// gitInside is the command that words are; those of a submodule are for a shell.
func gitInside(words []Word, shell, reads bool) inside {
	switch {
	case len(words) == 0:
		return inside{}
	case reads || !words[0].Static:
		return notSeen
	case shell && len(words) == 1:
		if !onlyEveryday(words[0].Value, isEverydayProgram) {
			return inside{as: "git", opaque: notSeen.opaque, scripts: []string{words[0].Value}}
		}
		return inside{as: "git", scripts: []string{words[0].Value}}
	}
	in := inside{as: "git", commands: []Command{{Words: words}}}
	if !isEverydayProgram(&in.commands[0]) || shell && !isPlain(words[0].Value) {
		in.opaque = notSeen.opaque
	}
	return in
}

// rebased are the command lines behind -x and --exec.
func rebased(args []Word, reads bool) inside {
	in := inside{}
	for i := 0; i < len(args); i++ {
		value := args[i].Value
		script, given := Word{}, false
		option, glued, equals := strings.Cut(value, "=")
		switch {
		case len(option) > 3 && strings.HasPrefix("--exec", option) && equals:
			script, given = Word{Value: glued, Static: args[i].Static}, true
		case len(option) > 3 && strings.HasPrefix("--exec", option):
			given = true
		case len(value) > 1 && value[0] == '-' && value[1] != '-':
			at := strings.IndexAny(value, "xsXCS")
			if at < 0 || value[at] != 'x' {
				continue
			}
			given = true
			if at+1 < len(value) {
				script = Word{Value: value[at+1:], Static: args[i].Static}
			}
		}
		if !given {
			continue
		}
		if script.Value == "" && i+1 < len(args) {
			i++
			script = args[i]
		}
		in.as = "git"
		if reads || !script.Static || !onlyEveryday(script.Value, isEverydayProgram) {
			in.opaque = notSeen.opaque
		}
		if script.Static {
			in.scripts = append(in.scripts, script.Value)
		}
	}
	return in
}

// onlyEveryday says whether a script runs everyday programs alone.
func onlyEveryday(source string, isEveryday func(*Command) bool) bool {
	if len(source) > 512 {
		return false
	}
	script, err := Parse(source)
	if err != nil {
		return false
	}
	commands := script.Commands()
	for i := range commands {
		if !isEveryday(&commands[i]) {
			return false
		}
	}
	return len(commands) > 0
}

func isEverydayProgram(c *Command) bool {
	if len(c.Words) == 0 || c.Opaque != "" {
		return false
	}
	if isLooker(c) || slices.Contains(builders, c.Words[0].Value) && c.Words[0].Static {
		return true
	}
	return Language(c.Name()) == "python" && len(c.Words) > 2 && c.Words[1].Value == "-m" && (c.Words[2].Value == "pytest" || c.Words[2].Value == "unittest")
}

func isLooker(c *Command) bool {
	return len(c.Words) > 0 && c.Opaque == "" && c.Words[0].Static && slices.Contains(lookers, c.Words[0].Value)
}

// isLeftToGit says whether a command makes git run what nobody has looked at.
func (c *Command) isLeftToGit() bool { return c.Opaque == notSeen.opaque && c.Name() == "git" }

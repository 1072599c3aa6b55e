package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// startable are the programs that code may start without a question, where the line is
// harmless by its own words: what reads, sorts, builds and tests. Code has no need to
// start others, and those that are not known here are for a person to decide.
var startable = []string{
	"sort", "uniq", "date", "wc", "head", "tail", "cut", "tr", "grep", "egrep", "fgrep", "rg", "sed", "cat", "echo", "printf", "ls", "pwd", "basename", "dirname", "realpath", "stat", "file", "du", "df", "column", "paste", "nl", "tac", "rev", "comm", "diff", "cmp", "join", "fold", "fmt", "seq", "sleep", "true", "false", "test", "mkdir", "touch", "tree", "cksum", "md5sum", "sha1sum", "sha256sum", "sha512sum", "jq", "which", "uname", "nproc", "expr", "find", "fd", "less", "more",
	"git", "go", "gofmt", "cargo", "rustc", "rustfmt", "npm", "pnpm", "yarn", "node", "tsc", "eslint", "prettier", "jest", "vitest", "python", "python3", "pip", "pip3", "uv", "pytest", "ruff", "black", "mypy", "flake8", "isort", "pylint", "poetry", "tox", "ruby", "bundle", "rake", "rspec", "rubocop", "php", "composer", "phpunit", "perl", "prove", "java", "javac", "mvn", "gradle", "dotnet", "make", "cmake", "ctest", "ninja", "gcc", "g++", "cc", "clang", "clang-format", "swift", "terraform", "helm",
}

// isHarmless says whether a command line is nothing to ask about, as far as it tells.
func isHarmless(line *shellsyntax.Analysis) bool {
	if line.Overflow || line.Refused || line.Err != nil || len(line.Dangers) > 0 || len(line.Commands) == 0 {
		return false
	}
	if slices.ContainsFunc(line.Oddities, func(odd shellsyntax.Oddity) bool { return !odd.Minor }) {
		return false
	}
	return !slices.ContainsFunc(line.Commands, func(c *shellsyntax.Command) bool {
		if c.Opaque != "" || len(c.Settings) > 0 || len(c.Code()) > 0 || len(c.Words) == 0 || !slices.Contains(startable, c.Words[0].Value) {
			return true
		}
		if slices.ContainsFunc(c.Words, func(w shellsyntax.Word) bool {
			return strings.HasPrefix(w.Value, "/dev/stdin") || strings.HasPrefix(w.Value, "/dev/fd/") || strings.HasPrefix(w.Value, "/proc/")
		}) {
			return true
		}
		// An interpreter that is given no file runs what it reads.
		return shellsyntax.Language(c.Name()) != "" && !slices.ContainsFunc(c.Words[1:], func(w shellsyntax.Word) bool { return !strings.HasPrefix(w.Value, "-") })
	})
}

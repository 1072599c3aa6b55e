package shellsyntax

import (
	"slices"
	"strings"
)

// isProbe says whether a command does no more than ask whether a port of this machine is
// open: it writes nothing, or an empty line, and takes no answer.
func (c *Command) isProbe() bool {
	if len(c.Words) > 0 {
		if name := c.Name(); name != "echo" && name != ":" && name != "true" || slices.ContainsFunc(c.Words[1:], func(w Word) bool { return w.Value != "" && w.Value != "-n" || w.Unknown }) {
			return false
		}
	}
	if c.Input != nil {
		return false
	}
	local := func(w Word) bool {
		if !w.Static || w.Guess {
			return false
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(w.Value, "/dev/"), "/")
		host, port, found := strings.Cut(rest, "/")
		return w.Value == "/dev/null" || found && isLetters(port) && (host == "localhost" || host == "127.0.0.1" || host == "::1") && (strings.HasPrefix(w.Value, "/dev/tcp/") || strings.HasPrefix(w.Value, "/dev/udp/"))
	}
	for _, list := range [][]Word{c.WritesTo, c.ReadsFrom} {
		for _, w := range list {
			if !local(w) {
				return false
			}
		}
	}
	return true
}

// syntaxChecks are the options with which interpreters look at a file and run nothing
// of it; -m has the name of the module behind it.
var syntaxChecks = map[string][]string{
	"ruby": {"-c", "-wc", "-cw"}, "node": {"--check", "-c"}, "php": {"-l"}, "perl": {"-c", "-wc", "-cw"}, "bash": {"-n"}, "sh": {"-n"}, "dash": {"-n"}, "zsh": {"-n"}, "ksh": {"-n"},
}

// checkModules are modules of Python that look at files.
var checkModules = []string{"py_compile", "json.tool", "tabnanny", "compileall", "ast", "pyflakes", "tokenize"}

// onlyChecks says whether all that find runs are looks at the syntax of the files.
func (c *Command) onlyChecks() bool {
	args := c.arguments()
	checks := false
	for i := 0; i < len(args); i++ {
		if !isExec(args[i].Value) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Value != ";" && args[end].Value != "+" {
			end++
		}
		if !isCheck(args[i+1 : end]) {
			return false
		}
		checks, i = true, end
	}
	return checks
}

// isCheck says whether words are such a look at {}, which prints at most.
func isCheck(words []Word) bool {
	if len(words) < 3 || slices.ContainsFunc(words, func(w Word) bool { return !w.Static }) {
		return false
	}
	name, files := words[0].Value, words[2:]
	if strings.HasPrefix(name, "python") && isLetters(strings.ReplaceAll(name, ".", "")) {
		if words[1].Value != "-m" || len(words) < 4 || !slices.Contains(checkModules, words[2].Value) {
			return false
		}
		files = words[3:]
	} else if !slices.Contains(syntaxChecks[name], words[1].Value) {
		return false
	}
	return files[0].Value == "{}" && (len(files) == 1 || len(files) == 2 && files[1].Value == "/dev/null")
}

// opensslTool finds what openssl sends to another machine: it is asked for its
// certificate where there is nothing to send.
func opensslTool(c *Command, document *Word, in *inside) {
	args := c.arguments()
	if len(args) == 0 || args[0].Value != "s_client" || slices.ContainsFunc(args, func(w Word) bool { return w.Value == "-showcerts" }) {
		return
	}
	quiet := document != nil && document.Static && strings.Trim(document.Value, " \nQq") == ""
	if document == nil && len(c.ReadsFrom) > 0 {
		quiet = !slices.ContainsFunc(c.ReadsFrom, func(w Word) bool { return w.Value != "/dev/null" })
	}
	if !quiet || slices.ContainsFunc(args, func(w Word) bool { return w.Unknown }) {
		in.shape(sendsSecured)
	}
}

package shellsyntax

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// watchTool finds the command line of watch: its words are joined and given to a shell.
func watchTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].Value, "-"); i++ {
		switch value := args[i].Value; {
		case value == "--":
			i++
		case value == "-x" || value == "--exec":
			return // as other wrappers do it
		case value == "-n", value == "-q", value == "--interval", value == "--equexit":
			i++
			continue
		default:
			continue
		}
		break
	}
	if i >= len(args) {
		return
	}
	in.commands = nil
	in.script(args[i:])
}

// script notes words that are joined to a command line.
func (in *inside) script(words []Word) {
	values := make([]string, len(words))
	for i, word := range words {
		values[i] = word.Value
		if !word.Static && word.Pattern == "" {
			in.opaque = "a part of what it runs is not known before it runs"
		}
	}
	in.line(strings.Join(values, " "))
}

// maxFilled is how many command lines are made of one template.
const maxFilled = 24

// parallelTool finds the command lines of parallel: a template, and what is put in it.
func parallelTool(c *Command, document *Word, in *inside) {
	args := c.arguments()
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].Value, "-"); i++ {
		switch value := args[i].Value; {
		case len(value) == 2 && strings.Contains("jNnLSaICsPdE", value[1:]),
			slices.Contains([]string{"--jobs", "--delay", "--joblog", "--results", "--tmpdir", "--timeout", "--retries", "--colsep", "--sshlogin", "--arg-file", "--max-args", "--tagstring", "--load", "--memfree", "--nice", "--basefile", "--return", "--workdir", "--wd", "--env", "--shuf", "--block", "--delimiter", "--max-procs"}, value):
			i++
		}
	}
	end := i
	for end < len(args) && !strings.HasPrefix(args[end].Value, ":::") {
		end++
	}
	if i > len(args) {
		return
	}
	template, rest := args[i:end], args[end:]
	if len(template) > 1 && len(rest) == 0 {
		return // as xargs
	}
	var values []string
	for _, word := range rest {
		if !strings.HasPrefix(word.Value, ":::") {
			values = append(values, word.Value)
		}
	}
	if len(rest) == 0 && document != nil && document.Static {
		values = slices.Collect(strings.Lines(document.Value))
	}
	in.commands = nil
	if len(template) == 0 {
		for _, value := range values {
			in.line(value)
		}
		if len(values) == 0 {
			in.opaque = "it runs what it reads"
			in.shape(tellsProgram)
		}
		return
	}
	if len(values) == 0 {
		values = []string{"{}"}
	}
	texts := make([]string, len(template))
	for n, word := range template {
		texts[n] = word.Value
	}
	line := strings.Join(texts, " ")
	if len(values) > maxFilled {
		in.shape(tellsProgram)
		values = values[:maxFilled]
	}
	for _, value := range values {
		value = strings.TrimRight(value, "\n")
		filled := strings.NewReplacer("{}", value, "{.}", value, "{/}", value, "{//}", value, "{/.}", value, "{1}", value, "{2}", value, "{3}", value, "{1.}", value, "{1/}", value).Replace(line)
		if filled == line && value != "{}" {
			filled += " " + value
		}
		in.line(filled)
	}
}

// makeTool finds what --eval gives to make: the recipes of rules, and functions.
func makeTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i := 0; i < len(args); i++ {
		value, next, found := option(args, i, "E", "--eval", "--eva", "--ev")
		if !found {
			continue
		}
		i = next - 1
		in.shape(tellsProgram)
		for line := range strings.Lines(value.Value) {
			for _, function := range []string{"$(shell ", "${shell "} {
				if _, command, found := strings.Cut(line, function); found {
					in.line(strings.TrimRight(command, ")}\n"))
				}
			}
			_, recipe, found := strings.Cut(line, ";")
			if tabbed := strings.HasPrefix(line, "\t"); tabbed || found {
				if tabbed {
					recipe = line
				}
				in.line(strings.NewReplacer("$(HOME)", "$HOME", "$$", "$").Replace(strings.TrimLeft(recipe, " \t@-+")))
			}
		}
	}
}

// scriptsTool finds the command lines that become scripts of a package: npm pkg set
// scripts.x=…, composer config scripts.x ….
func scriptsTool(c *Command, _ *Word, in *inside) {
	var words []Word
	for _, word := range c.arguments() {
		if !strings.HasPrefix(word.Value, "-") {
			words = append(words, word)
		}
	}
	if len(words) > 0 && words[0].Value == "pm" { // bun
		words = words[1:]
	}
	if len(words) < 3 {
		return
	}
	switch first, second := words[0].Value, words[1].Value; {
	case first == "pkg" && second == "set":
		for _, word := range words[2:] {
			if value, found := strings.CutPrefix(word.Value, "scripts="); found { // all of them, as JSON
				var scripts map[string]string
				if json.Unmarshal([]byte(value), &scripts) != nil {
					in.shape(tellsProgram)
				}
				for _, name := range slices.Sorted(maps.Keys(scripts)) {
					in.script([]Word{part(word, scripts[name])})
				}
				continue
			}
			if key, value, found := strings.Cut(word.Value, "="); found && (strings.HasPrefix(key, "scripts.") || strings.HasPrefix(key, "scripts[")) {
				in.script([]Word{part(word, strings.Trim(value, `"`))})
			}
		}
	case first == "set-script":
		in.script(words[2:])
	case first == "config" && strings.HasPrefix(second, "scripts."):
		for _, word := range words[2:] {
			in.script([]Word{part(word, strings.TrimPrefix(word.Value, "@"))})
		}
	}
}

// cargoKeys are settings of cargo that name a program.
var cargoKeys = []string{"runner", "linker", "rustc", "rustdoc", "rustc-wrapper", "rustc-workspace-wrapper", "rustc_wrapper", "credential-provider", "global-credential-providers", "credential-alias", "ar", "rustflags", "git-askpass", "env", "build-rustflags"}

// cargoTool finds programs in --config of cargo.
func cargoTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	for i := 0; i < len(args); i++ {
		value, next, found := option(args, i, "", "--config")
		if !found {
			continue
		}
		i = next - 1
		key, _, assigned := strings.Cut(value.Value, "=")
		if !assigned { // a file of settings
			if strings.HasPrefix(key, "/") || strings.HasPrefix(key, "~") || strings.HasPrefix(key, "..") {
				in.shape(tellsProgram)
			}
			continue
		}
		for name := range strings.FieldsFuncSeq(strings.ToLower(value.Value), func(r rune) bool { return r != '-' && r != '_' && (r > 0x7f || !isNameByte(byte(r))) }) {
			if slices.Contains(cargoKeys, name) {
				in.shape(tellsProgram)
			}
		}
	}
}

// perlTool finds commands among the files of perl, which runs what begins or ends
// with a bar.
func perlTool(c *Command, _ *Word, in *inside) {
	for i, word := range c.arguments() {
		text := strings.TrimSpace(word.Value)
		if i > 0 && len(text) > 1 && text[0] != '-' {
			if inline, glued := codeFlag("perl", c.Words[i].Value); inline && glued == "" {
				continue
			}
			if trimmed := strings.Trim(text, "|"); len(trimmed) < len(text) {
				in.run(trimmed)
			}
		}
	}
}

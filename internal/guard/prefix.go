package guard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/shellanalysis"
)

//go:embed data/prefixes.yaml
var prefixesYAML []byte

// prefixTable is data/prefixes.yaml, which says what its parts mean.
type prefixTable struct {
	Prefixes []expression `yaml:"prefixes"`
	Harmless []string     `yaml:"harmless"`
	Options  []string     `yaml:"options"`
	Never    expression   `yaml:"never"`
	Outside  expression   `yaml:"outside"`
}

var prefixRows = sync.OnceValue(func() prefixTable { return loadTable[prefixTable]("prefixes.yaml", prefixesYAML) })

// maxPrefixCalls is how many calls a line may have that a prefix covers.
const maxPrefixCalls = 20

// prefix is the pattern ("npm run *") that covers everything that a shell call runs;
// empty: none does. Whatever is not plain has none.
func (in *inspection) prefix(findings []finding) string {
	script := in.shell()
	if script == nil || !isPlain(script) || !in.isInProject() || slices.ContainsFunc(findings, finding.isAboutWords) {
		return ""
	}
	pattern := ""
	for i := range script.Calls {
		call := &script.Calls[i]
		if isHarmless(call) {
			continue
		}
		begins := beginning(call)
		if begins == "" || pattern != "" && pattern != begins {
			return ""
		}
		pattern = begins
	}
	return pattern
}

// isInProject says whether a call changes to no other session or place.
func (in *inspection) isInProject() bool {
	return in.call.Args["restart"] != true && !prefixRows().Outside.MatchString(in.text("cwd"))
}

// isAboutWords says whether a finding is about the words behind a program, such as a path,
// or about code, and not about the program.
func (f finding) isAboutWords() bool { return f.Category != "command" && f.Category != "custom" }

// isPlain says whether a line says all that it runs, without variables and functions, and
// stays in the project.
func isPlain(script *shellanalysis.Analysis) bool {
	source := strings.ReplaceAll(script.Source, "/dev/null", "")
	return script.SyntaxError == nil && script.ForkBomb == "" && len(script.Codes)+len(script.Obfuscations)+
		len(script.NotUnderstood)+len(script.Functions) == 0 && len(script.Calls) <= maxPrefixCalls &&
		!strings.ContainsAny(source, "$`~") && !prefixRows().Outside.MatchString(source)
}

// isPlainCall says whether a call is known in full, in the project, and touches no file by
// a redirection.
func isPlainCall(call *shellanalysis.Call) bool {
	if len(call.Words) == 0 || len(call.Variables) > 0 || call.Opaque != "" || call.Wrapped || call.Open ||
		strings.HasPrefix(call.Dir, "~") {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(call.Writes, call.Reads), func(file shellanalysis.Word) bool {
		return file.Text != "/dev/null"
	}) && !slices.ContainsFunc(call.Words, func(word shellanalysis.Word) bool {
		return word.Dynamic || prefixRows().Outside.MatchString(word.Text)
	})
}

// isHarmless says whether a call is one that may stand beside those that a prefix covers.
func isHarmless(call *shellanalysis.Call) bool {
	if call.Is("cd") && (len(call.Words) != 2 || strings.HasPrefix(call.Words[1].Text, "-")) {
		return false // it leads to the home directory, or back to wherever the session was
	}
	return isPlainCall(call) && slices.ContainsFunc(prefixRows().Harmless, call.Is)
}

// minAbbreviation is how many letters of an option count as the option. Most programs
// take any that only one of their options begins with; fewer letters are often an
// option of their own (--pre, --set).
const minAbbreviation = 4

// isNeverCovered says whether a word is none that a prefix may cover: see prefixes.yaml.
func isNeverCovered(word shellanalysis.Word) bool {
	rows := prefixRows()
	if rows.Never.MatchString(word.Text) {
		return true
	}
	name := strings.TrimPrefix(word.Text, "-")
	if name == word.Text {
		return false
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	return slices.ContainsFunc(rows.Options, func(option string) bool {
		return strings.EqualFold(option, name) || len(name) >= minAbbreviation && strings.HasPrefix(option, name)
	})
}

// beginning is the pattern that covers a call; empty: none of the table does.
func beginning(call *shellanalysis.Call) string {
	if !isPlainCall(call) || call.Piped || call.Fed || call.Input != nil ||
		slices.ContainsFunc(call.Words, isNeverCovered) {
		return ""
	}
	var words []string
	for _, word := range call.Words {
		words = append(words, strings.ReplaceAll(word.Text, " ", "\n")) // a blank is between words alone
	}
	line := strings.Join(words, " ")
	for _, row := range prefixRows().Prefixes {
		if match := row.FindStringSubmatch(line); match != nil {
			return match[1] + " *"
		}
	}
	return ""
}

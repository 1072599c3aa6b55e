package guard

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"nanoclaw/internal/shellanalysis"
)

//go:embed data/programs.yaml
var programsYAML []byte

// programData is data/programs.yaml, which says what the fields mean.
type programData struct {
	Prints   shellanalysis.Names `yaml:"prints"`
	Lists    shellanalysis.Names `yaml:"lists"`
	Writes   shellanalysis.Names `yaml:"writes"`
	Copies   shellanalysis.Names `yaml:"copies"`
	Searches shellanalysis.Names `yaml:"searches"`
	Known    shellanalysis.Names `yaml:"known"`
	Texts    shellanalysis.Names `yaml:"texts"`
	Messages map[string][]string `yaml:"messages"`
	Valued   map[string][]string `yaml:"valued"`
	Outputs  map[string][]string `yaml:"outputs"`
}

var programTable = sync.OnceValue(func() programData { return loadTable[programData]("programs.yaml", programsYAML) })

// knows says whether one of the lists names a program.
func (t programData) knows(name string) bool {
	lists := []shellanalysis.Names{t.Prints, t.Lists, t.Writes, t.Copies, t.Searches, t.Known}
	return slices.ContainsFunc(lists, func(list shellanalysis.Names) bool { return list[name] })
}

// call looks at the words and redirections of one shell command.
func (p *pathCheck) call(c *shellanalysis.Call) {
	p.dir = c.Dir
	for _, to := range c.Writes {
		p.word(to.Text, writes)
	}
	for _, from := range c.Reads {
		p.word(from.Text, reads)
	}
	for _, v := range c.Variables {
		if file, is := strings.CutPrefix(v.Text, "HISTFILE="); is {
			p.word(file, reads)
		}
	}
	if len(c.Words) == 0 {
		return
	}
	p.word(c.Words[0].Text, reads)
	if name := c.Name(); !programTable().Prints[name] {
		p.arguments(c, name)
	}
}

// arguments looks at the arguments of a program by what it does with each of them.
func (p *pathCheck) arguments(c *shellanalysis.Call, name string) {
	t := programTable()
	texts, searches := t.Texts[name], t.Searches[name]
	search := searches // the next operand is a pattern, and no path
	for i, w := range c.Words[1:] {
		previous := c.Words[i].Text
		isPath, endsSearch := roleOf(name, previous, w.Text, search)
		search = search && !endsSearch
		if texts || isPath && !searches && strings.ContainsAny(w.Text, " \n") {
			p.inner(w.Text)
		}
		if !isPath {
			continue
		}
		if directoryOption.MatchString(previous) && changesDirectory.MatchString(name) {
			p.dir = w.Text
		}
		p.word(w.Text, usesOfWord(c, name, i))
	}
	if texts && c.Input != nil {
		p.inner(c.Input.Text)
	}
}

// roleOf tells paths from texts and patterns, and whether the pattern of a search has been given.
func roleOf(name, previous, text string, search bool) (isPath, endsSearch bool) {
	message := slices.Contains(programTable().Messages[name], previous)
	switch {
	case !search:
		return !message, false
	case text == "-f" || text == "--file" || gluedPattern.MatchString(text) && name != "awk":
		return false, true // the pattern stands in a file, or in the option
	case message:
		return false, previous == "-e"
	}
	isPattern := !strings.HasPrefix(text, "-") && !valuedSearch.MatchString(previous)
	return !isPattern, isPattern
}

// inner looks at the absolute paths within a text in a language of a program's own.
func (p *pathCheck) inner(text string) {
	for _, match := range innerPath.FindAllStringSubmatch(text, 50) {
		p.path(match[1], reads|writes)
	}
}

var (
	directoryOption  = regexp.MustCompile(`^(-\w*C|--directory)$`)
	changesDirectory = regexp.MustCompile(`^(g|bsd)?tar$|^g?make$`)
	innerPath        = regexp.MustCompile(`(?:[\s'"(=|<>]|[rRwW])([~/][\w.~/-]+)`)
	bracketedAddress = regexp.MustCompile(`\[[0-9a-fA-F:]+\]`)
	gluedPattern     = regexp.MustCompile(`^-[a-zA-Z]*e.`)
	valuedSearch     = regexp.MustCompile(`^(-[ABCmFvgt]|--arg|--argjson)$`)
)

// usesOfWord is what a program does with one of its arguments.
func usesOfWord(c *shellanalysis.Call, name string, i int) use {
	args, t := c.Words[1:], programTable()
	outputs := t.Outputs[name]
	option, _, glued := strings.Cut(args[i].Text, "=")
	switch {
	case i > 0 && slices.Contains(outputs, args[i-1].Text), glued && slices.Contains(outputs, option):
		return writes
	case t.Copies[name] && i < len(args)-1:
		return reads | lists
	case t.Copies[name] || t.Writes[name]:
		return writes | lists
	case name == "sed" || name == "gsed" || name == "perl":
		if slices.ContainsFunc(args, func(w shellanalysis.Word) bool { return inPlace.MatchString(w.Text) }) {
			return reads | writes
		}
	case name == "git":
		return gitUses(c.Args())
	case t.Lists[name]:
		return lists
	}
	return reads | lists
}

var (
	inPlace   = regexp.MustCompile(`^(-[a-zA-Z]*i\S*|--in-place\S*)$`)
	gitPrints = regexp.MustCompile(
		`^(-\S+ (\S+ )?)*(show|diff|blame|annotate|cat-file|archive|format-patch|` +
			`log .*(-p|-u|--patch|-L\S*)|stash show .*-p)( |$)`)
	gitSummary = regexp.MustCompile(
		`(^| )(--stat|--name-only|--name-status|--numstat|--shortstat|--summary|` +
			`--quiet|-s|--no-patch|--raw|-l|--files-with-matches|--count|-c)( |$)`)
)

// gitUses says whether a call of git prints what stands in the files among its words.
func gitUses(line string) use {
	if gitPrints.MatchString(line) && !gitSummary.MatchString(line) {
		return reads
	}
	return lists
}

// word looks at one word of a command. A path can stand behind a flag, a name, an @, a
// comma or a colon.
func (p *pathCheck) word(text string, how use) {
	if text == "" || strings.Contains(text, "\n") && !pathStart.MatchString(text) {
		return
	}
	if p.address(text) {
		return
	}
	if p.path(text, how) {
		return
	}
	if strings.HasPrefix(text, "file://") {
		p.path(text[len("file://"):], how)
	}
	if len(text) > 3 && text[0] == '-' && text[1] != '-' {
		p.path(text[2:], how)
		p.address(text[2:])
	}
	for _, address := range bracketedAddress.FindAllString(text, 5) {
		p.address(address)
	}
	for at := 0; at < len(text)-1 && at < 512; at++ {
		if strings.ContainsRune("=@:,", rune(text[at])) && p.behind(text, at, how) {
			return
		}
	}
}

// behind looks at what stands behind a separator in a word.
func (p *pathCheck) behind(text string, at int, how use) bool {
	rest := text[at+1:]
	if text[at] == ':' && (strings.HasPrefix(rest, "//") || strings.Contains(text[:at], "@")) {
		return false // an address, or a path on another machine
	}
	if end := strings.IndexAny(rest, ",:"); end >= 0 {
		rest = rest[:end]
	}
	rest = strings.TrimLeft(rest, "@<+/")
	if text[at+1] == '/' {
		rest = "/" + rest
	}
	if class := metadataClass(endpointIn("http://" + rest)); class != nil && !strings.Contains(text[:at], "http") {
		p.add("path.sensitive", class, "it reaches "+class.What, text)
		return true
	}
	return p.path(rest, how)
}

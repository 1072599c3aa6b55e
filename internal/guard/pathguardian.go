package guard

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"nanoclaw/internal/shellanalysis"
)

// pathGuardian looks for sensitive paths: in the path arguments of the file tools, in the
// words of shell commands, and in the texts of code.
type pathGuardian struct {
	projectDir func(ctx context.Context, userID, projectID string) (string, error)
	realPath   func(ctx context.Context, projectID, path string) (string, error)
}

func (pathGuardian) name() string { return "filepath" }

func (g pathGuardian) check(ctx context.Context, in *inspection) ([]finding, error) {
	p := &pathCheck{in: in, paths: in.rules.paths}
	if call := in.call.Call; g.projectDir != nil && call.ProjectID != "" {
		if dir, err := g.projectDir(ctx, call.UserID, call.ProjectID); err == nil && p.paths.overlaps(dir) {
			p.project = dir
		}
	}
	switch tool := in.call.Tool; {
	case tool.Name == shellTool || tool.Name == pythonTool:
		if script := in.shell(); script != nil {
			p.made = templateTarget(script)
			for i := range script.Calls {
				p.call(&script.Calls[i])
			}
		}
		for _, code := range in.codes() {
			p.code(code.Text)
		}
		p.dir = ""
	case tool.Category == "crawler":
		p.anywhere(in.call.Args, false)
	case tool.Category == "mcp", tool.Category == "file" && len(tool.Files) == 0:
		p.anywhere(in.call.Args, true)
	}
	for _, access := range in.accesses() {
		p.path(access.path, usesOf(access.operations))
		if access.pattern {
			continue
		}
		if real := g.real(ctx, in, access.path); real != access.path {
			p.path(real, usesOf(access.operations))
		}
	}
	return p.findings, nil
}

// real is where a path of the project leads by way of links. Where nobody can say, the
// tool gets nowhere either.
func (g pathGuardian) real(ctx context.Context, in *inspection, path string) string {
	if g.realPath == nil || in.call.Call.ProjectID == "" {
		return path
	}
	if real, err := g.realPath(ctx, in.call.Call.ProjectID, path); err == nil && real != "" {
		return real
	}
	return path
}

// pathCheck collects the sensitive paths of one call.
type pathCheck struct {
	in       *inspection
	paths    *sensitivePaths
	findings []finding
	project  string // the directory of the project, where it lies over or under what is the server's own
	dir      string // where the command runs; "" in the project
	made     string // an environment file that the line makes from a template
}

// maxPaths is how many sensitive paths of a call are noted: more than are shown, which
// are the most sensitive.
const maxPaths = 10 * maxFindings

func (p *pathCheck) add(id string, class *pathClass, message, what string) {
	isShown := func(f finding) bool { return f.ID == id && f.Evidence == evidence(what) }
	if len(p.findings) < maxPaths && !slices.ContainsFunc(p.findings, isShown) {
		p.findings = append(p.findings, finding{Finding: Finding{ID: id, Severity: class.Severity, Category: "path",
			Message: message, Evidence: evidence(what)}})
	}
}

// path looks at one path or file name pattern, and says whether it is sensitive.
func (p *pathCheck) path(name string, how use) bool {
	if name == "" || len(name) > 4096 {
		return false
	}
	class, pattern := p.find(name, how), false
	if class == nil && strings.ContainsAny(name, "*?[") {
		class, pattern = findPattern(p.absolute(name), how), true
	}
	if class == nil || p.made != "" && class == sensitiveTable().names[".env"] && path.Clean(name) == p.made {
		return false
	}
	later := class.Autorun && how&writes != 0
	relative := name[0] != '/' && name[0] != '~' && (p.dir == "" || p.dir[0] != '/' && p.dir[0] != '~')
	if !p.in.counts(scopeHost) && !(relative && (class.Project || later)) && class != ownClass && class != namedClass {
		return true
	}
	p.add("path.sensitive", class, fmt.Sprintf("it reaches %s", class.What), name)
	if later && how&reads == 0 {
		p.add("shell.persistence.file", class, "it changes what runs on its own", name)
	}
	if pattern {
		p.add("evasion.glob", class, "a file name pattern hides which file is meant", name)
	}
	return true
}

func (p *pathCheck) absolute(name string) string {
	if name[0] == '/' || name[0] == '~' || p.dir == "" {
		return name
	}
	return p.dir + "/" + name
}

func (p *pathCheck) find(name string, how use) *pathClass {
	if class := p.paths.find(name, how); class != nil {
		return class
	}
	if full := p.absolute(name); full != name {
		if class := p.paths.find(full, how); class != nil {
			return class
		}
	}
	if p.project != "" && name[0] != '/' && name[0] != '~' && p.paths.isOwn(path.Join(p.project, name)) {
		return ownClass
	}
	return nil
}

// address looks at a text that may be an address, and reports whether no tool has
// business there: the server's own, or that of a cloud's metadata.
func (p *pathCheck) address(text string) bool {
	class := metadataClass
	switch {
	case p.paths.isOwnAddress(text):
		class = ownClass
	case !metadataAddress(text):
		return false
	}
	p.add("path.sensitive", class, "it reaches "+class.What, text)
	return true
}

// anywhere looks at every text of the arguments of other tools.
func (p *pathCheck) anywhere(value any, paths bool) {
	switch value := value.(type) {
	case string:
		if !p.address(value) && paths && looksLikePath(value) {
			p.path(strings.TrimPrefix(value, "file://"), anyUse)
		}
	case []any:
		for _, item := range value {
			p.anywhere(item, paths)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			p.anywhere(value[key], paths)
		}
	}
}

// looksLikePath says whether a text is meant as a path rather than as prose.
func looksLikePath(text string) bool {
	return !strings.ContainsAny(text, "\r\n") && (pathStart.MatchString(text) || !strings.ContainsAny(text, " \t"))
}

var pathStart = regexp.MustCompile(`^(/|~|\.\.?/|file://)`)

// code looks at the texts in quotes of code.
func (p *pathCheck) code(text string) {
	texts := quotedText.FindAllStringSubmatch(text, 200)
	for _, match := range append(texts, quotedText.FindAllStringSubmatch(joins.ReplaceAllString(text, ""), 200)...) {
		for _, part := range match[1:] {
			if part == "" {
				continue
			}
			p.address(part)
			if startsPrograms.MatchString(text) {
				p.inner(part)
			}
			if looksLikePath(part) {
				p.path(strings.TrimPrefix(strings.TrimPrefix(part, "file://"), "file:"), reads)
				p.path("~/"+strings.TrimPrefix(part, "/"), reads)
			}
		}
	}
}

var (
	startsPrograms = regexp.MustCompile(`\b(system|popen|subprocess|exec\w*|spawn\w*|shell_exec)\b`)
	quotedText     = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'|` + "`([^`\n]*)`" + `|[</(]([~/][\w./~*-]+)`)
	joins          = regexp.MustCompile(`["'] ?(\+|\.) ?["']|["'] ?/ ?["']|["'], ?["']`)
)

//go:embed data/programs.yaml
var programsYAML []byte

// programKind says what a program does with the paths among its words.
type programKind int

const (
	kindPrints programKind = 1 << iota
	kindLists
	kindWrites
	kindCopies
	kindSearches
	kindKnown
)

// programData is data/programs.yaml, which says what the fields mean.
type programData struct {
	Prints   string              `yaml:"prints"`
	Lists    string              `yaml:"lists"`
	Writes   string              `yaml:"writes"`
	Copies   string              `yaml:"copies"`
	Searches string              `yaml:"searches"`
	Known    string              `yaml:"known"`
	Texts    string              `yaml:"texts"`
	Messages map[string][]string `yaml:"messages"`
	Outputs  map[string][]string `yaml:"outputs"`
}

var programTable = sync.OnceValue(func() *programData {
	data := &programData{}
	if err := yaml.UnmarshalWithOptions(programsYAML, data, yaml.Strict()); err != nil {
		panic("guard: read the table of programs: " + err.Error()) // the file is part of the program
	}
	return data
})

var programKinds = sync.OnceValue(func() map[string]programKind {
	t, kinds := programTable(), map[string]programKind{}
	for kind, list := range map[programKind]string{
		kindPrints: t.Prints, kindLists: t.Lists, kindWrites: t.Writes, kindCopies: t.Copies, kindSearches: t.Searches,
		kindKnown: t.Known,
	} {
		for _, name := range strings.Fields(list) {
			kinds[name] |= kind
		}
	}
	return kinds
})

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
	name := c.Name()
	kind := programKinds()[name]
	if kind&kindPrints != 0 {
		return
	}
	p.arguments(c, name, kind)
}

// arguments looks at the arguments of a program by what it does with each of them.
func (p *pathCheck) arguments(c *shellanalysis.Call, name string, kind programKind) {
	texts := slices.Contains(strings.Fields(programTable().Texts), name)
	pattern := kind&kindSearches != 0 // the next operand is one, and no path
	for i, w := range c.Words[1:] {
		previous := c.Words[i].Text
		message := slices.Contains(programTable().Messages[name], previous)
		isPattern := pattern && (message || !strings.HasPrefix(w.Text, "-") && !valuedSearch.MatchString(previous))
		inOption := pattern && (w.Text == "-f" || w.Text == "--file" || gluedPattern.MatchString(w.Text) &&
			name != "awk")
		if isPattern && (!message || previous == "-e") || inOption {
			pattern = false
		}
		plain := !message && !isPattern && !inOption
		if texts || plain && kind&kindSearches == 0 && strings.ContainsAny(w.Text, " \n") {
			p.inner(w.Text)
		}
		if !plain {
			continue
		}
		if directoryOption.MatchString(previous) && changesDirectory.MatchString(name) {
			p.dir = w.Text
		}
		p.word(w.Text, usesOfWord(name, kind, c.Words[1:], i))
	}
	if texts && c.Input != nil {
		p.inner(c.Input.Text)
	}
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
func usesOfWord(name string, kind programKind, args []shellanalysis.Word, i int) use {
	outputs := programTable().Outputs[name]
	option, _, glued := strings.Cut(args[i].Text, "=")
	switch {
	case i > 0 && slices.Contains(outputs, args[i-1].Text), glued && slices.Contains(outputs, option):
		return writes
	case kind&kindCopies != 0 && i < len(args)-1:
		return reads | lists
	case kind&kindCopies != 0:
		return writes | lists
	case kind&kindWrites != 0:
		return writes | lists
	case name == "sed" || name == "gsed" || name == "perl":
		if slices.ContainsFunc(args, func(w shellanalysis.Word) bool { return inPlace.MatchString(w.Text) }) {
			return reads | writes
		}
	case name == "git":
		return gitUses(args)
	case kind&kindLists != 0:
		return lists
	}
	return reads | lists
}

var (
	inPlace   = regexp.MustCompile(`^(-[a-zA-Z]*i\S*|--in-place\S*)$`)
	gitPrints = regexp.MustCompile(
		`^(-\S+ (\S+ )?)*(show|diff|blame|annotate|cat-file|archive|format-patch|log .*(-p|-u|--patch|-L\S*)|stash show .*-p)( |$)`)
	gitSummary = regexp.MustCompile(
		`(^| )(--stat|--name-only|--name-status|--numstat|--shortstat|--summary|--quiet|-s|--no-patch|--raw|-l|--files-with-matches|--count|-c)( |$)`)
)

// gitUses says whether git prints what stands in the files among its words.
func gitUses(args []shellanalysis.Word) use {
	line := joinWords(args)
	if gitPrints.MatchString(line) && !gitSummary.MatchString(line) {
		return reads
	}
	return lists
}

func joinWords(list []shellanalysis.Word) string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
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
		p.anywhere(text[2:], false)
	}
	for _, address := range bracketedAddress.FindAllString(text, 5) {
		p.anywhere(address, false)
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
	if rest != "" && (metadataAddress(rest) || metadataAddress("http://"+rest)) && !strings.Contains(text[:at],
		"http") {
		p.add("path.sensitive", metadataClass, "it reaches "+metadataClass.What, text)
		return true
	}
	return p.path(rest, how)
}

var otherThanAnd = regexp.MustCompile(`[;\n]|\|\||\b(cd|pushd)\b`)

// templateTarget is the file that the line begins to make from a template: cp
// .env.example .env && …. It holds nothing but what the template has.
func templateTarget(script *shellanalysis.Analysis) string {
	if len(script.Calls) < 2 || otherThanAnd.MatchString(script.Source) ||
		!strings.HasPrefix(strings.TrimSpace(script.Source), "cp ") {
		return ""
	}
	c := &script.Calls[0]
	if c.Name() != "cp" || len(c.Words) != 3 || c.Dir != "" {
		return ""
	}
	from, to := path.Base(c.Words[1].Text), path.Clean(c.Words[2].Text)
	if dotenv.MatchString(from) && dotenvTemplate.MatchString(from) && path.Dir(to) == "." {
		return to
	}
	return ""
}

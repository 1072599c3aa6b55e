package guard

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

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
	case in.isShell() || tool.Name == pythonTool:
		p.script(in)
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

// script looks at the commands and the code of a call.
func (p *pathCheck) script(in *inspection) {
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
		p.findings = append(p.findings, ruleHead{ID: id, Severity: class.Severity, Message: message}.finding("path",
			what))
	}
}

// path looks at one path or file name pattern, and says whether it is sensitive.
func (p *pathCheck) path(name string, how use) bool {
	if name == "" || len(name) > 4096 {
		return false
	}
	class, pattern := p.find(name, how), false
	if class == nil && isPattern(name) {
		class, pattern = findPattern(p.absolute(name), how), true
	}
	if class == nil || p.made != "" && p.dir == "" && class == envClass() && path.Clean(name) == p.made {
		return false
	}
	later := class.Autorun && how&writes != 0
	if !p.outlives(name, class, later) {
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

// outlives says whether a path counts where the call runs: in a sandbox only what is the
// project's, the server's or the administrator's.
func (p *pathCheck) outlives(name string, class *pathClass, later bool) bool {
	if p.in.counts(scopeHost) || class == ownClass || class == namedClass {
		return true
	}
	return (class.Project || later) && !isRooted(name) && (p.dir == "" || !isRooted(p.dir))
}

// isRooted says whether a path begins at the root or in a home directory.
func isRooted(name string) bool { return name[0] == '/' || name[0] == '~' }

func (p *pathCheck) absolute(name string) string {
	if isRooted(name) || p.dir == "" {
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
	if p.project != "" && !isRooted(name) && p.paths.isOwn(path.Join(p.project, name)) {
		return ownClass
	}
	return nil
}

// address looks at a text that may be an address, and reports whether no tool has
// business there: the server's own, or that of a cloud's metadata.
func (p *pathCheck) address(text string) bool {
	class := p.paths.findAddress(text)
	if class == nil {
		return false
	}
	p.add("path.sensitive", class, "it reaches "+class.What, text)
	return true
}

// anywhere looks at every text of the arguments of other tools.
func (p *pathCheck) anywhere(value any, paths bool) {
	for text := range textsOf(value) {
		if !p.address(text) && paths && looksLikePath(text) {
			p.path(strings.TrimPrefix(text, "file://"), anyUse)
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

// envClass is the class of environment files.
func envClass() *pathClass { return sensitiveTable().names[".env"] }

// fromTemplate is a line that first copies one environment file to another: cp .env.example .env && ….
var fromTemplate = regexp.MustCompile(
	`^\s*cp (?:[\w./-]*/)?(\.env\.\w+) (?:\./)?([\w.-]+)\s*(?:&&(?:[^;|\n]|\|[^|])*)?$`)

// templateTarget is the file that the line begins to make from a template. It holds nothing
// but what the template has.
func templateTarget(script *shellanalysis.Analysis) string {
	if match := fromTemplate.FindStringSubmatch(script.Source); match != nil && envClass().exempts(match[1]) {
		return match[2]
	}
	return ""
}

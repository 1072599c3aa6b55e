package guard

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// pathGuardian looks for sensitive paths: in arguments that are paths, in the
// words of shell commands, and in the texts of Python code.
type pathGuardian struct {
	projectDir func(ctx context.Context, userID, projectID string) (string, error)
	realPath   func(ctx context.Context, projectID, path string) (string, error)
}

func (pathGuardian) name() string { return "filepath" }

func (g pathGuardian) check(ctx context.Context, look *look) ([]finding, error) {
	p := &pathCheck{paths: look.rules.paths}
	if call := look.call.Call; g.projectDir != nil && call.ProjectID != "" {
		if dir, err := g.projectDir(ctx, call.UserID, call.ProjectID); err == nil && p.paths.overlaps(dir) {
			p.project = dir
		}
	}
	switch tool := look.call.Tool; {
	case tool.Name == shellTool:
		if script := look.shell(); script != nil {
			p.templates(script)
			for _, command := range script.Commands {
				p.command(command)
				p.enter(command)
			}
			p.dir = ""
			for _, code := range look.codes() {
				p.codeTexts(code)
			}
		}
		if cwd := look.text("cwd"); cwd != "" {
			p.path(cwd, lists)
		}
	case tool.Name == pythonTool:
		for _, code := range look.codes() {
			p.codeTexts(code)
		}
	case fileArguments[tool.Name] != nil:
		for _, access := range look.accesses() {
			p.path(access.path, usesOf(access.operations))
			if real := g.real(ctx, look, access.path); real != access.path {
				p.path(real, usesOf(access.operations))
			}
		}
		for _, argument := range []string{"pattern", "glob"} {
			if glob := look.text(argument); glob != "" && (tool.Name == "file_glob" || argument == "glob") {
				p.glob(glob, reads)
			}
		}
	case tool.Category == "crawler" || tool.Category == "mcp":
		p.anywhere(look.call.Args, tool.Category == "mcp")
	}
	return p.findings, nil
}

// real is where a path of the project leads by way of links. Where nobody can say,
// the tool gets nowhere either.
func (g pathGuardian) real(ctx context.Context, look *look, path string) string {
	if g.realPath == nil || look.call.Call.ProjectID == "" {
		return path
	}
	if real, err := g.realPath(ctx, look.call.Call.ProjectID, path); err == nil && real != "" {
		return real
	}
	return path
}

func usesOf(operations []string) use {
	var how use
	if slices.Contains(operations, readFile) {
		how |= reads
	}
	if slices.Contains(operations, writeFile) || slices.Contains(operations, deleteFile) {
		how |= writes
	}
	return how
}

// pathCheck collects the sensitive paths of one call.
type pathCheck struct {
	paths    *sensitivePaths
	findings []finding
	project  string             // the directory of the project, where it lies over or under what is the server's own
	words    []shellsyntax.Word // of the command that is looked at, without prose
	made     string             // an environment file that the line makes from a template
	dir      string             // where the line goes with cd: absolute, or from "~"; empty: it is not known
}

// maxPaths is how many sensitive paths of a call are noted: more than are shown, which
// are the most sensitive.
const maxPaths = 10 * maxFindings

func (p *pathCheck) add(found place, what string) {
	if len(p.findings) >= maxPaths || slices.ContainsFunc(p.findings, func(f finding) bool { return f.Evidence == evidence(what) }) {
		return
	}
	p.findings = append(p.findings, finding{Finding: Finding{
		ID: "path.sensitive", Severity: found.severity, Category: "path", Message: fmt.Sprintf("it reaches %s", found.what), Evidence: evidence(what),
	}})
}

// path looks at one path.
func (p *pathCheck) path(name string, how use) bool {
	if name == "" {
		return false
	}
	found, ok := p.paths.find(name, how)
	if !ok && p.dir != "" && name[0] != '/' && name[0] != '~' {
		found, ok = p.paths.find(p.dir+"/"+name, how)
	}
	if !ok && p.project != "" && name[0] != '/' && name[0] != '~' && p.paths.isOwn(path.Join(p.project, name)) {
		found, ok = ownPlace, true
	}
	if ok && p.made != "" && found == dotenvPlace && path.Clean(name) == p.made {
		return false
	}
	if ok {
		p.add(found, name)
		if how&writes != 0 && how&reads == 0 && lasting(found) {
			p.findings = append(p.findings, finding{Finding: Finding{
				ID: "shell.persistence.file", Severity: found.severity, Category: "path", Message: "it changes what runs on its own", Evidence: evidence(name),
			}})
		}
	}
	return ok
}

// lasting says whether a place decides what runs later.
func lasting(found place) bool {
	return found == autorunPlace || found == startupPlace || found == hooksPlace || found == rcPlace || runsLater(found)
}

// enter follows cd, and -C of tar, git and make.
func (p *pathCheck) enter(c *shellsyntax.Command) {
	if name := c.Name(); len(c.Words) < 2 || name != "cd" && name != "pushd" {
		return
	}
	p.moveTo(c.Words[len(c.Words)-1])
}

func (p *pathCheck) moveTo(w shellsyntax.Word) {
	switch to := w.Value; {
	case !w.Static || to == "" || to == "-":
		p.dir = ""
	case to[0] == '/' || to[0] == '~':
		p.dir = path.Clean(to)
	case p.dir != "":
		p.dir = path.Join(p.dir, to)
	}
}

// glob looks at a file name pattern: whether it can be a sensitive path.
func (p *pathCheck) glob(pattern string, how use) bool {
	if p.path(pattern, how) {
		if strings.ContainsAny(pattern, "?[") {
			p.findings = append(p.findings, finding{Finding: Finding{
				ID: "evasion.glob", Severity: High, Category: "path", Message: "a file name pattern hides which file is meant", Evidence: evidence(pattern),
			}})
		}
		return true
	}
	if found, ok := matchExamples(pattern, how); ok {
		p.add(found, pattern)
		p.findings = append(p.findings, finding{Finding: Finding{
			ID: "evasion.glob", Severity: found.severity, Category: "path", Message: "a file name pattern hides which file is meant", Evidence: evidence(pattern),
		}})
		return true
	}
	return false
}

// anywhere looks at every text of the arguments of other tools.
func (p *pathCheck) anywhere(value any, paths bool) {
	switch value := value.(type) {
	case string:
		if p.paths.isOwnAddress(value) {
			p.add(ownPlace, value)
		} else if metadataAddress(value) {
			p.add(metadataPlace, value)
		} else if paths && looksLikePath(value) {
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
	if text == "" || len(text) > 4096 || strings.IndexByte(text, '\n') >= 0 || strings.IndexByte(text, '\r') >= 0 {
		return false
	}
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "file://") {
		return true
	}
	return strings.IndexByte(text, ' ') < 0 && strings.IndexByte(text, '\t') < 0
}

// word looks at one word of a shell command.
func (p *pathCheck) word(w shellsyntax.Word, how use) {
	text := w.Value
	if text == "" || p.isHarmless(w) || !looksLikePath(text) {
		return
	}
	if p.paths.isOwnAddress(text) {
		p.add(ownPlace, text)
		return
	}
	if metadataAddress(text) {
		p.add(metadataPlace, text)
		return
	}
	if p.spelling(w, text, how) {
		return
	}
	// A path can stand behind a flag, a name, an @ or a colon.
	for _, cut := range []string{"=", "@", ":"} {
		if at := strings.Index(text, cut); at >= 0 && at+1 < len(text) {
			rest := text[at+1:]
			if cut == ":" && (strings.HasPrefix(rest, "//") || strings.Contains(text[:at], "@")) {
				continue // an address, or a path on another machine
			}
			if p.spelling(shellsyntax.Word{Value: rest, Pattern: behind(w.Pattern, cut)}, strings.TrimPrefix(strings.TrimPrefix(rest, "@"), "<"), how) {
				return
			}
		}
	}
	if strings.HasPrefix(text, "file://") {
		p.path(text[len("file://"):], how)
	}
	if len(text) > 3 && text[0] == '-' && text[1] != '-' {
		p.path(text[2:], how)
	}
}

// isHarmless spares the long look for most words: a bare word that is the name of no
// sensitive file.
func (p *pathCheck) isHarmless(w shellsyntax.Word) bool {
	if p.dir != "" || p.project != "" || len(p.paths.named) > 0 || w.Pattern != "" {
		return false
	}
	for i := range len(w.Value) {
		if telling[w.Value[i]] {
			return false
		}
	}
	if isBareName(w.Value) || mayBeAddress(w.Value) {
		return false
	}
	return len(w.Value) <= 3 || w.Value[0] != '-' || !isBareName(w.Value[2:]) // behind a flag
}

// isBareName says whether a word without any telling character is the name of a
// sensitive file.
func isBareName(word string) bool {
	_, sensitive := sensitiveName(word)
	return sensitive
}

// telling are the characters that paths are made with, or that stand in front of them.
var telling = [256]bool{'/': true, '.': true, '~': true, '=': true, '@': true, ':': true, '<': true}

func behind(pattern, cut string) string {
	_, rest, _ := strings.Cut(pattern, cut)
	return rest
}

func (p *pathCheck) spelling(w shellsyntax.Word, text string, how use) bool {
	if w.Pattern != "" && p.glob(w.Pattern, how) {
		return true
	}
	return p.path(text, how)
}

package demo

import (
	"regexp"
	"strings"
)

// The methods of this file turn a clause about several files into steps.

// list needs the word "files", "folders" or the like: the pattern leaves all of
// its parts open.
func (m match) list() ([]step, bool) {
	if !listNoun.MatchString(m.groups[0]) {
		return none, false
	}
	s := step{kind: kindList, path: place(m.get("place"))}
	s.recursive = m.has("deep") || m.has("deep2") || m.has("deep3")
	if s.path != "" && strings.ContainsAny(s.path, " \t") && !m.quoted("place") {
		return none, false
	}
	if looksLikeFile(s.path) && extension.MatchString(s.path) { // "show the content of notes.txt"
		return none, false
	}
	return one(s)
}

var listNoun = regexp.MustCompile(`(?i)\b(?:files?|folders?|director(?:y|ies)|listing|everything|documents|project|workspace|here)\b|文件|目录|列表|东西|内容|项目|工作区|这里`)

func (m match) listDir() ([]step, bool) {
	dir, _, back := m.file("path")
	switch {
	case !m.has("path"):
		return one(step{kind: kindList})
	case back, articles[strings.ToLower(dir)]:
		return none, false
	case m.has("folder"), strings.HasSuffix(dir, "/"), dir == ".", dir == "..", strings.HasPrefix(strings.ToLower(m.groups[0]), "ls"):
		return one(step{kind: kindList, path: place(dir)})
	}
	return none, false
}

var placeNoise = regexp.MustCompile(`(?i)^(?:(?:the|this|my|our|current|entire|whole|all|folder|directory|dir|file|files)\s+)+|\s+(?:folder|directory|dir|files?)$|^(?:目录|文件夹)\s*|\s*(?:目录|文件夹)$`)

// roots are the many names of the project's root.
var roots = map[string]bool{
	"": true, ".": true, "./": true, "/": true, "project": true, "workspace": true, "here": true, "folder": true, "directory": true,
	"current": true, "root": true, "this": true, "it": true, "files": true, "my": true, "code": true, "working": true, "project root": true,
	"项目": true, "工作区": true, "当前": true, "根": true, "这个": true, "这里": true, "本": true, "我的": true, "所有": true,
}

// place is a directory as the tools take it; "" is the project's root.
func place(text string) string {
	text = strings.TrimRight(placeNoise.ReplaceAllString(strings.TrimSpace(text), ""), " .,")
	if roots[strings.ToLower(text)] {
		return ""
	}
	return strings.TrimSuffix(text, "/")
}

func (m match) glob() ([]step, bool) {
	pattern := strings.Trim(m.get("glob"), ".,")
	if strings.HasPrefix(m.get("glob"), ".") && !strings.ContainsAny(pattern, "*./") {
		pattern = "*." + pattern // "all .txt files"
	}
	if !strings.ContainsRune(pattern, '*') {
		return none, false
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	return one(step{kind: kindGlob, text: pattern, path: place(m.get("place"))})
}

// extensions of files that have a name in everyday language.
var extensions = map[string]string{
	"go": "go", "golang": "go", "python": "py", "javascript": "js", "typescript": "ts", "markdown": "md", "text": "txt", "txt": "txt",
	"json": "json", "yaml": "{yml,yaml}", "csv": "csv", "html": "html", "css": "css", "java": "java", "rust": "rs", "log": "log", "pdf": "pdf", "md": "md",
}

func (m match) globType() ([]step, bool) {
	extension, ok := extensions[strings.ToLower(m.raw("type"))]
	if !ok {
		return none, false
	}
	return one(step{kind: kindGlob, text: "**/*." + extension, path: place(m.get("place"))})
}

func (m match) globNamed() ([]step, bool) {
	name, _, back := m.file("path")
	if back || name == "" {
		return none, false
	}
	return one(step{kind: kindGlob, text: "**/" + name, path: place(m.get("place"))})
}

func (m match) grep() ([]step, bool) {
	s := step{kind: kindGrep, text: m.literal("text"), path: place(m.get("place")), exact: m.quoted("text")}
	if s.path == "" {
		if name, named, _ := m.file("path"); named {
			s.path = name
		} else if m.has("path") {
			return none, false
		}
	}
	if s.text == "" || strings.ContainsAny(s.path, " \t") {
		return none, false
	}
	return one(s)
}

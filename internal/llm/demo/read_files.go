package demo

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// The methods of this file turn a clause about files into steps.

func (m match) mkdir() ([]step, bool) {
	dir, _, back := m.file("path")
	if back || dir == "" || articles[strings.ToLower(dir)] {
		return none, false
	}
	return one(step{kind: kindMkdir, path: dir})
}

var articles = map[string]bool{"a": true, "an": true, "the": true, "new": true, "called": true, "named": true, "file": true, "files": true, "文件": true}

func (m match) move() ([]step, bool) {
	from, named, back := m.file("path")
	to, _, _ := m.file("to")
	if to == "" || (from == "" && !back) || (!named && !back && articles[strings.ToLower(from)]) {
		return none, false
	}
	if from != "" && (strings.HasSuffix(to, "/") || m.has("folder") || m.has("folder2")) {
		to = path.Join(to, path.Base(from))
	}
	return one(step{kind: kindMove, path: from, pathRef: back, to: to})
}

// copy is a read and a write: there is no tool for it.
func (m match) copy() ([]step, bool) {
	from, _, back := m.file("path")
	to, _, _ := m.file("to")
	if to == "" || from == "" || back {
		return none, false
	}
	if strings.HasSuffix(to, "/") {
		to = path.Join(to, path.Base(from))
	}
	return []step{
		{kind: kindRead, path: from},
		{kind: kindWrite, path: to, refs: []reference{reference(kindRead)}},
	}, true
}

func (m match) delete() ([]step, bool) {
	dir := m.has("folder") || m.has("folder2") || m.has("r")
	return m.eachPath(func(name string, back bool) step {
		return step{kind: kindDelete, path: name, pathRef: back, recursive: dir || strings.HasSuffix(name, "/")}
	}, dir)
}

func (m match) edit() ([]step, bool) {
	name, _, back := m.file("path")
	if (name == "" && !back) || m.get("old") == "" {
		return none, false
	}
	return one(step{kind: kindEdit, path: name, pathRef: back, old: m.get("old"), text: m.get("text"), every: m.has("all")})
}

func (m match) write() ([]step, bool)  { return m.putText(kindWrite) }
func (m match) append() ([]step, bool) { return m.putText(kindAppend) }

// putText needs a name that is clearly a file's, unless the text is quoted: "write
// a poem in English" writes no file.
func (m match) putText(k kind) ([]step, bool) {
	name, named, back := m.file("path")
	if name == "" && !back || (!named && !back && (articles[strings.ToLower(name)] || !m.quoted("text") && !saysFile.MatchString(m.groups[0]))) {
		return none, false
	}
	s := step{kind: k, path: name, pathRef: back}
	if m.quoted("text") {
		s.text = m.get("text")
		return one(s)
	}
	if steps, ok := m.enumerated(s); ok {
		return steps, true
	}
	var sources []step
	if sources, s.refs = sourcesOf(m.get("text")); len(s.refs) == 0 {
		s.text = m.literal("text")
	}
	return append(sources, s), true
}

var saysFile = regexp.MustCompile(`(?i)\bfile\b|文件`)

// writeTwo: the same text goes into two files.
func (m match) writeTwo() ([]step, bool) {
	second, named, _ := m.file("to")
	steps, ok := m.write()
	if !ok || !named {
		return none, false
	}
	again := steps[len(steps)-1]
	again.path = second
	return append(steps, again), true
}

var another = regexp.MustCompile(`(?i)^(.+?)\s+(?:to|into|in|as)\s+([\x{E000}-\x{F8FF}]|[^\s,]+\.[A-Za-z0-9]+)\s*(?:,\s*and\s|,|\sand\s)\s*(.+)$`)

// enumerated reads "42 to a.txt and 43" before "to b.txt": each text has a file.
func (m match) enumerated(last step) ([]step, bool) {
	var steps []step
	rest := m.raw("text")
	for groups := another.FindStringSubmatch(rest); groups != nil; groups = another.FindStringSubmatch(rest) {
		steps = append(steps, step{kind: last.kind, text: m.covered.open(groups[1]), path: m.covered.open(groups[2])})
		rest = groups[3]
	}
	last.text = m.covered.open(rest)
	return append(steps, last), len(steps) > 0
}

var announced = regexp.MustCompile(`(?is)^(?:the |a |an )?(?:(?:following )?(?:text|line|words?|string|sentence|message|note|content|contents)(?: saying| that says| reading)?|文字|文本|内容|一行|一句话?|一段)\s*[:：]?\s*(.+)$`)

// literal is the text itself, without "the text" before it.
func (m match) literal(group string) string {
	piece := m.raw(group)
	if groups := announced.FindStringSubmatch(piece); groups != nil {
		piece = groups[1]
	}
	return m.covered.open(strings.TrimSpace(strings.TrimLeft(piece, ":：")))
}

func (m match) saveResult() ([]step, bool) {
	name, named, back := m.file("path")
	if back || name == "" || (!named && articles[strings.ToLower(name)]) {
		return none, false
	}
	return one(step{kind: kindWrite, path: name, refs: []reference{refLast}})
}

func (m match) createEmpty() ([]step, bool) {
	name, named, back := m.file("path")
	if back || !named {
		return none, false
	}
	return one(step{kind: kindWrite, path: name})
}

func (m match) exists() ([]step, bool) {
	name, named, back := m.file("path")
	if back || name == "" || (!named && articles[strings.ToLower(name)]) {
		return none, false
	}
	return one(step{kind: kindExists, path: name})
}

func (m match) read() ([]step, bool) {
	first, last := 0, 0
	if n, err := strconv.Atoi(m.raw("n")); err == nil {
		first, last = 1, n
	}
	if n, err := strconv.Atoi(m.raw("from")); err == nil {
		first, last = n, n
	}
	if n, err := strconv.Atoi(m.raw("till")); err == nil {
		last = n
	}
	reader := readsAnything.MatchString(m.groups[0])
	return m.eachPath(func(name string, back bool) step {
		return step{kind: kindRead, path: name, pathRef: back, firstLine: first, lastLine: last}
	}, reader)
}

// readsAnything: after these words a single bare word is a file's name.
var readsAnything = regexp.MustCompile(`(?i)^(?:read|cat|读)|\bfile\b|文件`)

func (m match) readAgain() ([]step, bool) {
	return one(step{kind: kindRead, pathRef: true})
}

// eachPath makes a step for every path of a list. bare: a single word is a name
// too, though nothing about it says so.
func (m match) eachPath(make func(name string, back bool) step, bare bool) ([]step, bool) {
	var steps []step
	parts := pathList.Split(m.raw("path"), -1)
	for _, part := range parts {
		part = pathNoise.ReplaceAllString(strings.TrimSpace(part), "")
		if part == "" {
			continue
		}
		name := part
		_, quoted := m.covered.alone(part)
		back := pathPronouns[strings.ToLower(part)]
		switch {
		case quoted:
			name = m.covered.open(part)
		case back:
			name = ""
		case strings.ContainsAny(part, " \t\n") || articles[strings.ToLower(part)]:
			return none, false
		case !looksLikeFile(part) && !(bare && len(parts) == 1):
			return none, false
		}
		if name == "" && !back {
			return none, false
		}
		steps = append(steps, make(name, back))
	}
	return steps, len(steps) > 0
}

var (
	pathList  = regexp.MustCompile(`(?i)\s*[,，、]\s*(?:and\s+)?|\s+and\s+|\s*和\s*|\s*以及\s*|\s+&\s+`)
	pathNoise = regexp.MustCompile(`(?i)^(?:(?:the|file|files|also|contents? of)\s+)+|\s+files?$|^文件\s*|\s*文件$|的内容$|[.,]+$`)
)

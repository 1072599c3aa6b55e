package demo

import (
	"regexp"
	"strings"
)

// rule reads one form of clause. The first rule that matches and accepts wins, so
// the order of a language's rules is part of its grammar.
type rule struct {
	pattern *regexp.Regexp
	read    func(match) ([]step, bool)
}

// match is a clause that a rule's pattern fits.
type match struct {
	covered covered
	rule    rule
	groups  []string
}

// named groups that patterns are written with.
var macros = strings.NewReplacer(
	"{path}", `(?P<path>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"'“”]+)`,
	"{to}", `(?P<to>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"'“”]+)`,
	"{paths}", `(?P<path>[^;；:：!！?？。]+?)`,
	"{text}", `(?P<text>.+?)`,
	"{old}", `(?P<old>.+?)`,
	"{place}", `(?P<place>.+?)`,
	"{url}", `(?P<url>https?://[^\s，。；、“”]+)`,
	// Chinese is written without spaces: a bare name is ASCII, or ends in an extension.
	"{zhpath}", `(?P<path>[\x{E000}-\x{F8FF}]|[A-Za-z0-9_./~@+\-]+|[\p{Han}A-Za-z0-9_/\-（）()]+?\.[A-Za-z0-9]{1,8}|[它他])`,
	"{zhto}", `(?P<to>[\x{E000}-\x{F8FF}]|[A-Za-z0-9_./~@+\-]+|[\p{Han}A-Za-z0-9_/\-（）()]+?\.[A-Za-z0-9]{1,8})`,
)

// on makes a rule for a whole clause. A space in an English pattern stands for any
// white space, in a Chinese one for any or none.
func on(language, pattern string, read func(match) ([]step, bool)) rule {
	space := `\s+`
	if language == "zh" {
		space = `\s*`
	}
	pattern = macros.Replace(strings.ReplaceAll(pattern, " ", space))
	return rule{pattern: regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), read: read}
}

// raw is the piece that a group matched, quoted passages still covered.
func (m match) raw(group string) string {
	i := m.rule.pattern.SubexpIndex(group)
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(m.groups[i])
}

// get is the piece as the user wrote it, without the quotation marks around it.
func (m match) get(group string) string { return m.covered.open(m.raw(group)) }

func (m match) has(group string) bool { return m.raw(group) != "" }

// quoted: the piece is one quoted passage.
func (m match) quoted(group string) bool {
	_, ok := m.covered.alone(m.raw(group))
	return ok
}

// file reads a path. named: it can hardly be anything else than a file's name.
// back: it points back to the file that was named last.
func (m match) file(group string) (path string, named, back bool) {
	if m.quoted(group) {
		path = m.get(group)
		return path, path != "", false
	}
	path = strings.TrimRight(m.get(group), ".,)]")
	if pathPronouns[strings.ToLower(path)] {
		return "", false, true
	}
	if path == "" && m.has(group) && strings.Trim(m.raw(group), ".") == "" {
		path = m.raw(group) // "." and ".."
	}
	return path, looksLikeFile(path), false
}

var pathPronouns = map[string]bool{"it": true, "that": true, "this": true, "them": true, "它": true, "他": true, "该文件": true, "这个文件": true, "那个文件": true}

var (
	extension  = regexp.MustCompile(`^[^\s]*[^\s./\\]\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[A-Za-z][\w.-]*$`)
	knownNames = map[string]bool{"readme": true, "makefile": true, "dockerfile": true, "license": true, "changelog": true, "go.mod": true, "authors": true, "notes": true}
)

// looksLikeFile: it has an extension, a slash or a well-known name.
func looksLikeFile(word string) bool {
	return extension.MatchString(word) || strings.ContainsAny(word, `/\`) || knownNames[strings.ToLower(word)]
}

// one is the usual end of a rule.
func one(s step) ([]step, bool) { return []step{s}, true }

var none = []step(nil)

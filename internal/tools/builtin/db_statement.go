package builtin

import (
	"strings"

	"nanoclaw/internal/tools"
)

// readingWords begin a statement that reads. The engines keep it from writing;
// what this keeps out are statements that read-only engines run all the same:
// PRAGMA and ATTACH, COPY … TO PROGRAM, SET, DO, LOCK.
var readingWords = map[string]bool{"SELECT": true, "WITH": true, "VALUES": true, "TABLE": true, "EXPLAIN": true}

// checkStatement takes one statement that begins with one of readingWords.
func checkStatement(statement, kind string) error {
	s := sqlScanner{text: statement, postgres: kind == postgresKind}
	word := strings.ToUpper(s.word())
	if word == "EXPLAIN" {
		word = s.explained()
	}
	switch {
	case word == "" && s.done():
		return tools.Errorf(tools.CodeInvalidArguments, "the statement is empty")
	case !readingWords[word] || word == "EXPLAIN":
		return tools.Errorf("read_only",
			"only statements that read are run: begin with SELECT, WITH, VALUES or EXPLAIN; db_schema lists "+
				"tables and columns")
	case s.another():
		return tools.Errorf(tools.CodeInvalidArguments, "there is more than one statement: run them one by one")
	case s.hidden != "":
		return tools.Errorf("read_only", "%s is not available here: db_schema lists tables and columns",
			shortened(s.hidden))
	}
	return nil
}

// sqlScanner walks over a statement as the engine's own scanner does.
type sqlScanner struct {
	text     string
	at       int
	postgres bool   // comments nest, $tag$ and E'…' quote, [ does not
	hidden   string // the last name that another saw of a table that is not to be read
}

// explained skips what may stand between EXPLAIN and the statement, and returns
// the statement's first word.
func (s *sqlScanner) explained() string {
	word := strings.ToUpper(s.word())
	if !s.postgres {
		if word == "QUERY" && strings.EqualFold(s.word(), "PLAN") {
			word = strings.ToUpper(s.word())
		}
		return word
	}
	if s.skipBlank(); word == "" && s.at < len(s.text) && s.text[s.at] == '(' {
		end := strings.IndexByte(s.text[s.at:], ')')
		if end < 0 {
			return ""
		}
		s.at += end + 1
		return strings.ToUpper(s.word())
	}
	for word == "ANALYZE" || word == "VERBOSE" {
		word = strings.ToUpper(s.word())
	}
	return word
}

// word is the next keyword, or "" where something else stands.
func (s *sqlScanner) word() string {
	s.skipBlank()
	start := s.at
	for s.at < len(s.text) && isSQLLetter(s.text[s.at]) {
		s.at++
	}
	return s.text[start:s.at]
}

func isSQLLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func (s *sqlScanner) done() bool {
	s.skipBlank()
	return s.at >= len(s.text)
}

// note keeps a name of SQLite's own tables. It is the second layer: the engine
// does not have them, see hideSQLiteModules. Any quotes make a name, '…' too.
func (s *sqlScanner) note(name string) {
	if !s.postgres && isHiddenModule(name) {
		s.hidden = name
	}
}

// another says whether something stands behind the end of the statement.
func (s *sqlScanner) another() bool {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == ';':
			for s.at < len(s.text) && s.text[s.at] == ';' {
				s.at++
				s.skipBlank()
			}
			return !s.done()
		case c == '\'' || c == '"' || (c == '`' && !s.postgres):
			start := s.at
			s.skipQuoted(c, s.postgres && c == '\'' && s.escapes())
			s.note(strings.Trim(s.text[start:s.at], string(c)))
		case c == '[' && !s.postgres:
			start := s.at
			s.skipTo("]")
			s.note(strings.Trim(s.text[start:s.at], "[]"))
		case c == '$' && s.postgres && s.skipDollar():
		case strings.HasPrefix(s.text[s.at:], "--"), strings.HasPrefix(s.text[s.at:], "/*"):
			s.skipBlank()
		case isSQLLetter(c):
			s.note(s.word())
		default:
			s.at++
		}
	}
	return false
}

// escapes says whether the string that begins here is E'…'.
func (s *sqlScanner) escapes() bool {
	if s.at == 0 || (s.text[s.at-1] != 'e' && s.text[s.at-1] != 'E') {
		return false
	}
	return s.at == 1 || !isSQLLetter(s.text[s.at-2])
}

// skipQuoted skips a string or a name; a doubled quote is one of its characters.
func (s *sqlScanner) skipQuoted(quote byte, backslash bool) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch {
		case backslash && s.text[s.at] == '\\':
			s.at++
		case s.text[s.at] != quote:
		case s.at+1 < len(s.text) && s.text[s.at+1] == quote:
			s.at++
		default:
			s.at++
			return
		}
	}
}

func (s *sqlScanner) skipTo(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
		return
	}
	s.at = len(s.text)
}

// skipDollar skips $tag$ … $tag$, where one begins here.
func (s *sqlScanner) skipDollar() bool {
	if s.at > 0 && isSQLLetter(s.text[s.at-1]) {
		return false
	}
	end := strings.IndexByte(s.text[s.at+1:], '$')
	if end < 0 {
		return false
	}
	tag := s.text[s.at : s.at+end+2]
	for i := 1; i < len(tag)-1; i++ {
		if !isSQLLetter(tag[i]) || (i == 1 && tag[i] >= '0' && tag[i] <= '9') {
			return false
		}
	}
	s.at += len(tag)
	s.skipTo(tag)
	return true
}

// skipBlank skips white space and comments.
func (s *sqlScanner) skipBlank() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.IndexByte(" \t\n\r\f", rest[0]) >= 0:
			s.at++
		case strings.HasPrefix(rest, "--"):
			s.skipLine()
		case strings.HasPrefix(rest, "/*"):
			s.skipComment()
		default:
			return
		}
	}
}

// skipLine skips to the end of the line, which to PostgreSQL a \r is too.
func (s *sqlScanner) skipLine() {
	ends := "\n"
	if s.postgres {
		ends = "\r\n"
	}
	if i := strings.IndexAny(s.text[s.at:], ends); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.text)
}

func (s *sqlScanner) skipComment() {
	s.at += 2
	for depth := 1; depth > 0; {
		rest := s.text[s.at:]
		end := strings.Index(rest, "*/")
		if end < 0 {
			s.at = len(s.text)
			return
		}
		if inner := strings.Index(rest[:end], "/*"); s.postgres && inner >= 0 {
			depth++
			s.at += inner + 2
			continue
		}
		depth--
		s.at += end + 2
	}
}

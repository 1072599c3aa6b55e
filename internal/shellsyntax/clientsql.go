package shellsyntax

import (
	"encoding/hex"
	"strings"
)

// sqlFiles notes the files that the texts of SQL statements name: those that look
// like paths, and what a function or a clause of files is given.
func (in *inside) sqlFiles(sql string) {
	s := sqlText{sql: sql}
	if lower := strings.ToLower(sql); strings.Contains(lower, "language") && containsAny(lower, "plpythonu", "plpython3u", "plpython2u", "plperlu", "pltclu", "plsh") {
		in.shape(tellsProgram) // functions that can do what the server can
	}
	for s.at < len(s.sql) {
		literal, ok := s.next()
		if !ok {
			continue
		}
		for s.joined() { // 'a' || 'b'
			more, _ := s.next()
			literal += more
		}
		name := strings.TrimPrefix(strings.TrimPrefix(literal, "file://"), "file:")
		told := s.clause()
		path := strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "./")
		switch {
		case path && (s.word == "load" || s.word == "install"): // code
			in.shape(tellsProgram)
		case told == 0 && !path, name == "", strings.ContainsAny(name, "\n\r"):
		case told == 'w':
			in.writing(name)
		default:
			in.reading(name)
		}
	}
}

// sqlText goes over SQL, from one text in quotes to the next. last and before are the
// words in front of it; opened says that a bracket stands between.
type sqlText struct {
	sql    string
	at     int
	word   string
	opened bool
	of     string // the word in front of the innermost bracket
}

// next goes on to the end of the next word or text; ok says that it is a text.
func (s *sqlText) next() (string, bool) {
	rest := s.sql[s.at:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "--") || c == '#':
		s.at += lengthTo(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		s.at += lengthTo(rest[2:], "*/") + 2
	case c == '\'' || c == '"' || c == '`':
		return s.quoted(c), true
	case strings.HasPrefix(rest, "$$"):
		length := lengthTo(rest[2:], "$$")
		s.at += 2 + length
		return strings.TrimSuffix(rest[2:2+length], "$$"), true
	case isNameByte(c) || c >= 0x80:
		end := 1
		for end < len(rest) && (isNameByte(rest[end]) || rest[end] >= 0x80) {
			end++
		}
		word := rest[:end]
		s.at += end
		if text, ok := hexText(word); ok {
			return text, true
		}
		if (word == "x" || word == "X") && end < len(rest) && rest[end] == '\'' {
			text, _ := hexText("0x" + s.quoted('\''))
			return text, true
		}
		s.word, s.opened = strings.ToLower(word), false
	case c == '(':
		s.opened, s.of = true, s.word
		s.at++
	case c == ')' || c == ';':
		s.opened, s.word, s.of = false, "", ""
		s.at++
	default:
		s.at++
	}
	return "", false
}

// quoted reads a text in quotes, which are doubled in it or have a backslash.
func (s *sqlText) quoted(quote byte) string {
	var out strings.Builder
	for s.at++; s.at < len(s.sql); s.at++ {
		c := s.sql[s.at]
		switch {
		case c == '\\' && s.at+1 < len(s.sql):
			s.at++
			c = s.sql[s.at]
		case c == quote && s.at+1 < len(s.sql) && s.sql[s.at+1] == quote:
			s.at++
		case c == quote:
			s.at++
			return out.String()
		}
		out.WriteByte(c)
	}
	return out.String()
}

// joined says whether || or nothing but blanks leads to another text.
func (s *sqlText) joined() bool {
	at := s.at
	for at < len(s.sql) && strings.IndexByte(" \t\n|", s.sql[at]) >= 0 {
		at++
	}
	if at == s.at || at >= len(s.sql) || s.sql[at] != '\'' {
		return false
	}
	s.at = at
	return true
}

// clause says what the words in front make of a text: r, it is read, w, it is written,
// 0: neither.
func (s *sqlText) clause() byte {
	switch s.word {
	case "outfile", "dumpfile", "to", "output", "backup":
		return 'w'
	case "infile", "attach", "from", "database", "import", "load", "install":
		return 'r'
	}
	if s.opened || s.of != "" && s.of == s.word {
		switch {
		case containsAny(s.of, "write", "export", "save", "dump", "append"):
			return 'w'
		case containsAny(s.of, "read", "load", "import", "file", "glob", "ls_dir", "scan", "sniff", "attach"):
			return 'r'
		}
	}
	return 0
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// hexText decodes 0x2f…, which is a text for some databases.
func hexText(word string) (string, bool) {
	digits, ok := strings.CutPrefix(word, "0x")
	if !ok || len(digits) < 4 {
		return "", false
	}
	decoded, err := hex.DecodeString(digits)
	return string(decoded), err == nil
}

// lengthTo is the length of a text up to the end of a mark in it.
func lengthTo(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}

package shellsyntax

import "strings"

// statements are the texts that a client of a database is told to run: those of its
// options, and what it reads.
func statements(c *Command, document *Word, short string, long ...string) []string {
	var texts []string
	args := c.arguments()
	for i := 0; i < len(args); i++ {
		if value, next, found := option(args, i, short, long...); found {
			texts = append(texts, value.Value)
			i = next - 1
		}
	}
	if document != nil {
		texts = append(texts, document.Value)
	}
	return texts
}

// sqliteTool finds what sqlite3 and duckdb are told: in their words behind the name of
// the database, which are statements too, in options and in what they read.
func sqliteTool(c *Command, document *Word, in *inside) {
	texts := statements(c, document, "", "-cmd", "--cmd", "-c", "-s", "-command")
	first := true
	for _, arg := range c.arguments() {
		if value := arg.Value; !strings.HasPrefix(value, "-") {
			if !first || strings.ContainsAny(value, " \n") {
				texts = append(texts, value)
			}
			first = false
		}
	}
	for _, text := range texts {
		var sql strings.Builder
		for line := range strings.Lines(text) {
			if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, ".") {
				in.dotCommand(trimmed[1:])
			} else {
				sql.WriteString(line)
			}
		}
		in.sqlFiles(sql.String())
	}
}

// dotCommands are those of sqlite3 that run a program or open files, and how short
// they can be written.
var dotCommands = []struct {
	name  string
	least int
	does  string
}{
	{"shell", 2, "runs"}, {"system", 2, "runs"}, {"output", 1, "writes"}, {"once", 2, "writes"}, {"import", 1, "reads"}, {"read", 3, "reads"}, {"log", 2, "writes"}, {"trace", 2, "writes"},
	{"backup", 1, "writes"}, {"save", 2, "writes"}, {"open", 2, "reads"}, {"restore", 3, "reads"}, {"clone", 2, "writes"}, {"load", 2, "reads"}, {"recover", 4, "reads"}, {"cd", 2, "reads"}, {"excel", 1, "runs"}, {"edit", 2, "runs"},
}

func (in *inside) dotCommand(line string) {
	name, rest, _ := strings.Cut(line, " ")
	name = strings.ToLower(name)
	for _, known := range dotCommands {
		if len(name) < known.least || !strings.HasPrefix(known.name, name) {
			continue
		}
		rest = strings.TrimSpace(rest)
		for strings.HasPrefix(rest, "-") && strings.Contains(rest, " ") { // its options
			_, rest, _ = strings.Cut(rest, " ")
			rest = strings.TrimSpace(rest)
		}
		file, piped := strings.CutPrefix(strings.Trim(rest, `"'`), "|")
		switch {
		case known.does == "runs":
			in.run(rest)
		case piped && strings.HasPrefix(rest, "|"):
			in.run(file)
		case piped:
			quoted, _, _ := strings.Cut(rest[2:], rest[:1])
			in.run(quoted)
		default:
			for _, word := range strings.Fields(rest) {
				if word = strings.Trim(word, `"'`); known.does == "writes" {
					in.writing(word)
				} else {
					in.reading(word)
				}
			}
		}
		return
	}
}

// mysqlTool finds what mysql is told.
func mysqlTool(c *Command, document *Word, in *inside) {
	for _, text := range statements(c, document, "eQq", "--execute", "--init-command", "--query") {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch strings.ToLower(name) {
			case "system", `\!`, "pager", `\P`, `\p`, "edit":
				if strings.TrimSpace(rest) != "" {
					in.run(rest)
				}
			case "source", `\.`:
				in.reading(strings.TrimSpace(rest))
			case "tee", `\t`:
				in.writing(strings.TrimSpace(rest))
			}
		}
		if at := strings.Index(text, `\!`); at >= 0 {
			line, _, _ := strings.Cut(text[at+2:], "\n")
			in.run(line)
		}
		in.sqlFiles(text)
	}
}

// psqlTool finds what psql is told: its own commands begin with a backslash anywhere.
func psqlTool(c *Command, document *Word, in *inside) {
	for _, text := range statements(c, document, "c", "--command") {
		for line := range strings.Lines(text) {
			for rest := line; ; {
				at := strings.IndexByte(rest, '\\')
				if at < 0 {
					break
				}
				rest = rest[at+1:]
				in.backslashCommand(strings.TrimSpace(rest))
			}
		}
		in.sqlFiles(text)
	}
	for i, args := 0, c.arguments(); i < len(args); i++ {
		if value, next, found := option(args, i, "oL", "--output", "--log-file"); found {
			if line, piped := strings.CutPrefix(value.Value, "|"); piped {
				in.run(line)
			} else {
				in.writing(value.Value)
			}
			i = next - 1
		}
	}
}

func (in *inside) backslashCommand(text string) {
	if line, shell := strings.CutPrefix(text, "!"); shell {
		in.run(line)
		return
	}
	name, rest, _ := strings.Cut(text, " ")
	name, rest = strings.TrimSuffix(name, "+"), strings.TrimSpace(rest)
	line, piped := strings.CutPrefix(rest, "|")
	switch name {
	case "o", "out", "g", "gx", "w", "write", "s":
		if piped {
			in.run(line)
		} else if name != "s" || rest != "" {
			file, _, _ := strings.Cut(rest, " ")
			in.writing(strings.Trim(file, `'"`))
		}
	case "i", "ir", "include", "include_relative", "lo_import":
		in.reading(strings.Trim(rest, `'"`))
	case "set", "setenv", "echo", "prompt", "if", "elif", "connect", "c", "copy":
		if _, command, found := strings.Cut(rest, "`"); found {
			command, _, _ = strings.Cut(command, "`")
			in.run(command)
		}
	}
}

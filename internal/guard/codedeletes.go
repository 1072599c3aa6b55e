package guard

import (
	"path"
	"slices"
	"strings"
)

// removers are functions that delete, with the command that does the same. Those with a
// module are names of others, too, where the code does not have that.
var removers = map[string]struct{ command, module string }{
	"rmtree": {"rm -rf", ""}, "remove_tree": {"rm -rf", ""}, "rm_rf": {"rm -rf", ""}, "rm_r": {"rm -rf", ""}, "rmSync": {"rm -rf", ""}, "rimraf": {"rm -rf", ""}, "remove_entry_secure": {"rm -rf", ""}, "delete_tree": {"rm -rf", ""},
	"rmdirSync": {"rm -rf", ""}, "unlinkSync": {"rm", ""}, "unlink": {"rm", ""}, "removedirs": {"rm -rf", ""}, "rmdir": {"rm -rf", "os fs"}, "remove": {"rm -rf", "os fs-extra Deno"}, "rm": {"rm -rf", "fs FileUtils"}, "removeSync": {"rm -rf", "fs-extra Deno"}, "emptyDir": {"rm -rf", "fs-extra"}, "emptyDirSync": {"rm -rf", "fs-extra"}, "rm_f": {"rm", "FileUtils"},
}

// remover is the command that does what a function does, where that deletes in this code.
func (s *scan) remover(name string) (command string, ok bool) {
	remover, known := removers[name]
	if !known || remover.module == "" {
		return remover.command, known
	}
	for module := range strings.FieldsSeq(remover.module) {
		if s.language == "javascript" && slices.ContainsFunc(s.texts, func(text string) bool {
			return text == module || text == "node:"+module || text == module+"/promises" || text == "node:"+module+"/promises"
		}) || (s.language != "javascript" || module == "Deno") && s.has(module) != "" {
			return remover.command, true
		}
	}
	return "", false
}

// deletions are the commands that do what the code deletes; plain says that every name
// in it is a literal. called says that it deletes at all.
func (s *scan) deletions() (lines []string, called, plain bool) {
	plain = s.has(strayNames...) == "" && !s.large
	known := map[string]string{} // what names do; empty: nothing
	for i, t := range s.tokens {
		if s.language == "javascript" && s.isMark(i, "[") && (s.token(i-1).kind == nameToken || s.isMark(i-1, ")")) && s.token(i+1).kind != numberToken {
			plain = false // an attribute that is worked out
		}
		if _, is := removers[t.value]; !is || t.kind != nameToken {
			continue
		}
		command, met := known[t.value]
		if !met {
			command, _ = s.remover(t.value)
			known[t.value] = command
		}
		if command == "" || s.isLoaded(i) {
			continue
		}
		if t.value == "remove" && s.language == "python" && s.token(i-2).value != "os" || (t.value == "rmdir" || t.value == "remove") && s.language != "python" && !s.isMark(i+1, "(") {
			continue // of a list
		}
		called = called || s.isMark(i+1, "(") || removers[t.value].module == "" && t.value != "unlink" // or under another name
		name, ok := s.deleted(i)
		if !ok || name == "" {
			plain = false
			continue
		}
		lines = append(lines, command+" -- "+quotedWord(path.Clean(name)))
	}
	return lines, called, plain && len(lines) > 0
}

// isLoaded says whether a name stands where the code loads a module.
func (s *scan) isLoaded(i int) bool {
	before, next := s.token(i-1), s.token(i+1)
	ends := next.kind == lineToken || next.kind == markToken && (next.value == "," || next.value == ";" || next.value == "}")
	switch {
	case !ends:
		return false
	case s.language == "python":
		return before.value == "import" || before.value == "," && s.token(i-2).kind == nameToken && s.token(i-3).value == "import"
	case s.language == "javascript" && before.kind == markToken && (before.value == "{" || before.value == ","):
		for at := i + 1; at < min(i+32, len(s.tokens)); at++ {
			if s.isMark(at, "}") {
				return s.token(at+1).value == "from" || s.isMark(at+1, "=")
			}
		}
	}
	return false
}

// deleted is the name that a call deletes, where that is one literal: its first
// argument, or the path that it is called of.
func (s *scan) deleted(i int) (string, bool) {
	bracket := s.isMark(i+1, "(")
	if !bracket {
		if name := s.token(i + 1); s.language == "ruby" && name.kind == textToken && !s.interpolated(name) && s.token(i+2).kind == lineToken {
			return name.value, true
		}
		return "", false
	}
	if s.isMark(i-1, ".") && s.isMark(i-2, ")") && s.language == "python" { // Path('x').unlink()
		if name := s.token(i - 3); name.kind == textToken && !s.interpolated(name) && s.isMark(i-4, "(") && s.token(i-5).value == "Path" {
			if s.isMark(i+2, ")") {
				return name.value, true
			}
			_, ok := s.options(i+1, true)
			return name.value, ok
		}
		return "", false
	}
	name := s.token(i + 2)
	if name.kind != textToken || s.interpolated(name) {
		return "", false
	}
	_, ok := s.options(i+3, true)
	return name.value, ok
}

// deleting are functions that delete, by the last part of their names or with the module.
var deleting = []string{"rmSync", "rmdirSync", "unlinkSync", "rm_r", "rm_rf", "rimraf", "delete_tree", "unlink", "removedirs", "rmtree", "remove_tree", "remove_entry_secure", "os.remove", "os.unlink", "os.rmdir"}

// deletesUnseen says whether code deletes what cannot be judged as a command is. call
// is a function that it does so with.
func (s *scan) deletesUnseen(call string) bool {
	if s.removed || s.has("tempfile", "mkstemp", "NamedTemporaryFile") != "" {
		return false
	}
	return call != "" || s.removes || (s.language == "perl" || s.language == "php") && slices.ContainsFunc(append(s.texts, s.names()...), func(text string) bool { return text == "unlink" || text == "rmtree" })
}

// deletesWhere is how bad that is: by the places that the code names.
func (s *scan) deletesWhere() Severity {
	if slices.ContainsFunc(s.texts, func(text string) bool {
		return text == "/" || text == "~" || strings.HasPrefix(text, "/etc") || strings.HasPrefix(text, "/home") || strings.HasPrefix(text, "/root") || strings.HasPrefix(text, "/usr") || strings.HasPrefix(text, "/var/")
	}) {
		return High
	}
	return Low
}

package shellsyntax

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A line can write a file and run it: what it writes is judged as what it runs. Files
// are told apart by the last part of their names, since cd may lead anywhere.

// writes notes what a command puts into files, where that is plain to see. What a file
// held before does not go away: > and >> are the same here.
func (z *analyzer) writes(command *Command, reads []*syntax.Stmt) {
	name := command.Name()
	switch {
	case len(command.Words) < 2 && name != "cat" && name != "tee":
		return
	case name == "cp" || name == "mv" || name == "ln" || name == "install":
		z.moves(command.Words[1:])
		if command.Input != nil && command.Words[1].Value == "/dev/stdin" {
			z.write(command.Words[len(command.Words)-1].Value, command.Input.Value)
		}
		return
	case name == "dd" && command.Input != nil:
		for _, word := range command.Words[1:] {
			if file, writes := strings.CutPrefix(word.Value, "of="); writes {
				z.write(file, command.Input.Value)
			}
		}
		return
	case len(command.WritesTo) == 0 && name != "tee":
		return
	}
	if !prints(name) {
		return
	}
	text, known := z.printedText(command, reads)
	if !known || text == "" {
		return
	}
	for _, to := range command.WritesTo {
		z.write(to.Value, text)
	}
	if name == "tee" {
		for _, to := range command.Words[1:] {
			if !strings.HasPrefix(to.Value, "-") {
				z.write(to.Value, text)
			}
		}
	}
}

// writesGroup notes what the commands of a group, a loop or a condition put into the
// files that its output goes to, and what the group reads, which it may copy there.
func (z *analyzer) writesGroup(stmt *syntax.Stmt, group *Command) {
	var text strings.Builder
	if group.Input != nil {
		text.WriteString(group.Input.Value + "\n")
	}
	for _, call := range callsOf(stmt) {
		if !z.x.spend(1 + len(call.Args)) {
			return
		}
		for _, words := range z.variants(call.Args) {
			if len(words) == 0 {
				continue // an assignment
			}
			if printed, known := z.printedText(&Command{Words: words}, nil); known {
				text.WriteString(printed)
			}
		}
	}
	for _, to := range group.WritesTo {
		z.write(to.Value, text.String())
	}
}

// printedText is what a command prints, with variables as they are written.
func (z *analyzer) printedText(command *Command, reads []*syntax.Stmt) (string, bool) {
	words := make([]string, 0, len(command.Words))
	for _, word := range command.Words {
		words = append(words, word.Value)
	}
	var input *string
	if command.Input != nil {
		input = &command.Input.Value
	} else if reads != nil && command.Depth == 0 {
		if text, known := z.x.piped(reads); known {
			input = &text
		}
	}
	switch command.Name() {
	case "cat", "tee":
		if input == nil {
			return "", false
		}
		return *input, true
	}
	return z.x.filter(words, input)
}

func (z *analyzer) write(file, text string) {
	name := path.Base(file)
	if !z.x.spend(1+len(text)/64) || len(z.written[name])+len(text) > maxExpanded {
		z.x.large = true
		return
	}
	z.written[name] += text
}

// moves gives the text of files to those that they become.
func (z *analyzer) moves(words []Word) {
	if len(z.written) == 0 {
		return
	}
	var files []string
	for _, word := range words {
		if !strings.HasPrefix(word.Value, "-") {
			files = append(files, path.Base(word.Value))
		}
	}
	for i := 0; i+1 < len(files); i++ {
		if text := z.written[files[i]]; text != "" && files[i] != files[len(files)-1] {
			z.write(files[len(files)-1], text)
		}
	}
}

// runWritten looks at the files that the line writes and runs.
func (z *analyzer) runWritten() {
	if len(z.written) == 0 {
		return
	}
	ran := map[string]bool{}
	for i := 0; i < len(z.a.Commands); i++ { // what a file runs is listed behind the others
		command := z.a.Commands[i]
		name := command.Name()
		for _, file := range z.filesRun(command, name) {
			text := z.written[file]
			if text == "" || ran[name+" "+file] {
				continue
			}
			ran[name+" "+file] = true
			z.runText(command, name, file, text)
		}
	}
}

// filesRun are the written files that a command may run.
func (z *analyzer) filesRun(command *Command, name string) []string {
	var files []string
	add := func(word Word) {
		base := path.Base(word.Value)
		switch {
		case z.written[base] != "":
			files = append(files, base)
		case (!word.Static || word.Pattern != "") && z.x.spend(8*len(z.written)): // it may be each of them
			files = slices.AppendSeq(files, maps.Keys(z.written))
			slices.Sort(files)
		}
	}
	switch {
	case len(command.Words) == 0:
	case IsShell(name), isInterpreter(name), name == "source", name == ".":
		for _, file := range scriptFiles(name, command.Words[1:]) {
			add(file)
		}
		for _, word := range command.ReadsFrom {
			add(word)
		}
	case name == "make" || name == "gmake":
		for _, word := range append([]Word{{Value: "Makefile"}, {Value: "makefile"}, {Value: "GNUmakefile"}}, command.Words[1:]...) {
			add(word)
		}
	case strings.Contains(command.Words[0].Value, "/"), slices.Contains(command.Assigned, "PATH"), z.setsPath():
		add(command.Words[0])
	}
	return files
}

// setsPath says whether the line changes where programs are looked for.
func (z *analyzer) setsPath() bool {
	return mentions(z.a.Source, "PATH=") && slices.ContainsFunc(z.a.Commands, func(c *Command) bool { return slices.Contains(c.Assigned, "PATH") })
}

// scriptFiles are the words that name the files which a shell or an interpreter runs;
// none: it is given code, or reads it.
func scriptFiles(name string, words []Word) []Word {
	var files []Word
	language := Language(name)
	for i := 0; i < len(words); i++ {
		value := words[i].Value
		inline, _ := codeFlag(language, value)
		switch {
		case inline, language == "" && name != "source" && name != "." && isCodeOption(value), value == "-m" && language == "python":
			return files
		case language == "awk" && (value == "-f" || value == "--file") && i+1 < len(words):
			return words[i+1 : i+2]
		case language == "awk" && !strings.HasPrefix(value, "-"):
			return nil // its program
		case value == "-o", value == "+o", value == "-O", value == "+O", value == "--rcfile", value == "--init-file", language != "" && (value == "-r" || value == "-I" || value == "-W" || value == "-X"):
			if i++; (value == "--rcfile" || value == "--init-file" || value == "-r") && i < len(words) {
				files = append(files, words[i])
			}
		case !strings.HasPrefix(value, "-") && !strings.HasPrefix(value, "+"):
			return append(files, words[i])
		}
	}
	return files
}

// runText looks at the text of a file as what a command makes of it.
func (z *analyzer) runText(command *Command, name, file, text string) {
	depth := command.Depth + 1
	if depth >= maxUnwrapped {
		z.a.Overflow = true
		return
	}
	via := append(slices.Clone(command.Via), file)
	switch {
	case name == "make" || name == "gmake":
		z.makefile(text, via, depth)
		return
	case !IsShell(name) && !isInterpreter(name) && file == path.Base(command.Words[0].Value):
		name = interpreterOf(text)
	}
	if !isInterpreter(name) {
		z.script(text, via, depth)
		return
	}
	code := z.placed(Command{Via: via, Depth: depth, Words: []Word{{Value: name, Static: true}}})
	if Language(name) == "awk" {
		code.Words = append(code.Words, Word{Value: text, Static: true})
	} else {
		code.Input = &Word{Value: text, Static: true}
	}
	z.list(code)
}

// interpreterOf is the program that runs a text, by its first line: a shell where
// there is none.
func interpreterOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, found := strings.CutPrefix(line, "#!")
	if !found {
		return "sh"
	}
	for _, field := range strings.Fields(line) {
		if name := path.Base(field); name != "env" && !strings.HasPrefix(name, "-") && !strings.Contains(name, "=") {
			return name
		}
	}
	return "sh"
}

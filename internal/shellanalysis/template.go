package shellanalysis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Template is a command line with places for values, written {{name}}. A value becomes one
// word or a part of one, single-quoted, wherever it stands: it cannot end the word, begin
// an option, or be run.
type Template struct {
	text   string // with markers in the places
	places []place
}

type place struct {
	name   string
	marker string
	option bool // a value with a leading dash would be read as an option there
}

var (
	placeholder = regexp.MustCompile(`\{\{\s*([a-z][a-z0-9_]{0,63})\s*\}\}`)
	braces      = regexp.MustCompile(`\{\{|\}\}`)
)

// templateMarker begins the words that stand for placeholders while a template is parsed.
const templateMarker = "nanoclawplace"

// ParseTemplate reads a template. A placeholder may stand where the words of a command
// stand, but not as its program, not in quotes, and not where bash evaluates what it reads.
func ParseTemplate(command string) (*Template, error) {
	if strings.Contains(command, templateMarker) {
		return nil, fmt.Errorf("the command holds the word %s, which is reserved", templateMarker)
	}
	t := &Template{}
	t.text = placeholder.ReplaceAllStringFunc(command, func(found string) string {
		one := place{name: placeholder.FindStringSubmatch(found)[1],
			marker: templateMarker + strconv.Itoa(len(t.places)) + "x"}
		t.places = append(t.places, one)
		return one.marker
	})
	if at := braces.FindStringIndex(t.text); at != nil {
		return nil, fmt.Errorf("%q is no placeholder: write {{name}}, with a name of small letters, digits and _",
			t.text[at[0]:min(len(t.text), at[0]+20)])
	}
	file, err := Parse(t.text)
	if err != nil {
		return nil, err
	}
	if len(file.Stmts) == 0 {
		return nil, fmt.Errorf("the command is empty")
	}
	safe := map[string]bool{}
	t.visit(file, safe)
	for _, one := range t.places {
		if !safe[one.marker] {
			return nil, fmt.Errorf("{{%s}} stands where a value cannot be quoted: make it an argument of a program, "+
				"outside of quotes, backticks, assignments, here-documents and code (the value is quoted by itself)",
				one.name)
		}
	}
	return t, nil
}

// visit notes the markers in places where single quotes hold whatever is between them.
func (t *Template) visit(node syntax.Node, safe map[string]bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return !n.Backquotes // in there backslashes mean something else
		case *syntax.Redirect:
			if slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.WordHdoc}, n.Op) {
				t.note(n.Word, false, safe)
			}
		case *syntax.CallExpr:
			t.call(n, safe)
		}
		return true
	})
}

func (t *Template) call(call *syntax.CallExpr, safe map[string]bool) {
	if len(call.Args) == 0 || evaluates(call.Args) {
		return
	}
	options := true
	for _, word := range call.Args[1:] {
		t.note(word, options, safe)
		options = options && word.Lit() != "--"
	}
}

// note finds the markers that are plain parts of a word.
func (t *Template) note(word *syntax.Word, options bool, safe map[string]bool) {
	begun := false // the word certainly has a first character before the marker
	for _, part := range word.Parts {
		text, ok := part.(*syntax.Lit)
		if !ok {
			quoted, is := part.(*syntax.SglQuoted)
			begun = begun || is && quoted.Value != ""
			continue
		}
		for j, one := range t.places {
			at := strings.Index(text.Value, one.marker)
			if at < 0 || at > 0 && text.Value[at-1] == '\\' {
				continue
			}
			safe[one.marker] = true
			t.places[j].option = options && !begun && markers.ReplaceAllString(text.Value[:at], "") == ""
		}
		begun = begun || markers.ReplaceAllString(text.Value, "") != ""
	}
}

var markers = regexp.MustCompile(templateMarker + `[0-9]+x`)

// evaluators are builtins that run their arguments, or take them for names of variables,
// whose subscripts bash evaluates.
var evaluators = []string{"eval", "source", ".", "trap", "let", "alias", "exec", "command", "builtin", "unset", "read",
	"mapfile", "readarray", "getopts", "enable", "complete", "compgen", "bind", "hash", "wait", "coproc"}

// interpreters run the word behind -c or -e.
var interpreters = regexp.MustCompile(`^(.*/)?(ba|da|z|k|a)?sh$|^(.*/)?(python|perl|ruby|node|php|lua)[0-9.]*$`)

// evaluates says whether a program takes one of the words for code. What the table does
// not know is judged with the values in it, as every command is.
func evaluates(words []*syntax.Word) bool {
	program := words[0].Lit()
	switch {
	case program == "": // it is only known when the command runs
		return true
	case program == "printf" || program == "test" || program == "[":
		return slices.ContainsFunc(words[1:], func(w *syntax.Word) bool { return w.Lit() == "-v" })
	case slices.Contains(evaluators, program):
		return true
	}
	return interpreters.MatchString(program) && slices.ContainsFunc(words[1:], func(w *syntax.Word) bool {
		option := w.Lit()
		return strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.ContainsAny(option, "ceEr") ||
			option == "--eval" || option == "--command"
	})
}

// Names are the placeholders, each once, in order.
func (t *Template) Names() []string {
	var names []string
	for _, one := range t.places {
		if !slices.Contains(names, one.name) {
			names = append(names, one.name)
		}
	}
	return names
}

// Fill is the command with the values. One that is missing, holds a NUL character, or
// would be read as an option is an error.
func (t *Template) Fill(values map[string]string) (string, error) {
	replaced := make([]string, 0, 2*len(t.places))
	for _, one := range t.places {
		value, ok := values[one.name]
		switch {
		case !ok:
			return "", fmt.Errorf("%s is missing", one.name)
		case strings.IndexByte(value, 0) >= 0:
			return "", fmt.Errorf("%s holds a NUL character, which no command takes", one.name)
		case one.option && strings.HasPrefix(value, "-"):
			return "", fmt.Errorf("%s begins with -, which the program would take for an option", one.name)
		}
		replaced = append(replaced, one.marker, "'"+strings.ReplaceAll(value, "'", `'\''`)+"'")
	}
	return strings.NewReplacer(replaced...).Replace(t.text), nil
}

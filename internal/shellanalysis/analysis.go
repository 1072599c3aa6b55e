package shellanalysis

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Analysis is what a command line would do, as far as the line itself tells.
type Analysis struct {
	Source string // the line as it runs: mended
	// SyntaxError says why the shell refuses the line; nil: it does not.
	SyntaxError *SyntaxError
	// Calls are the commands of all branches, with the words that they would get.
	Calls []Call
	// Codes are texts that interpreters of other languages would run.
	Codes        []Code
	Obfuscations []Remark
	// NotUnderstood are the reasons why not everything that would run is in Calls.
	NotUnderstood []Remark
	// ForkBomb is the name of a function that starts itself without end; empty: none does.
	ForkBomb string
	// Functions are the names of the functions that the line defines.
	Functions []string
}

// Call is a program, a builtin or a function with its words, or a redirection or an
// assignment without any.
type Call struct {
	Words []Word
	// Variables are set for the call, or by it: "NAME=value".
	Variables []Word
	Writes    []Word // files that output goes to
	Reads     []Word // files that input comes from
	Input     *Word  // what it reads; nil: nothing, or not known
	Piped     bool   // it reads from a pipe or a redirection
	Fed       bool   // a command around it does
	// Sources are the programs and files whose output is among its words or its input.
	Sources []string
	Dir     string // where it runs, "" for the directory that the line starts in
	// Guess says that this happens only if variables that the line does not set are empty.
	Guess bool
	// Opaque says why what it runs cannot be known; empty: it can.
	Opaque string
	// Wrapped says that another program runs it.
	Wrapped bool
	// Open says that it gets more words than are known, as from xargs.
	Open bool
}

// Word is an argument after all expansions. Patterns of file names stay as they are.
type Word struct {
	Text    string // unknown parts as $NAME or $(program), the home directory as ~
	Dynamic bool   // there are unknown parts
}

// Code is a text that an interpreter runs.
type Code struct {
	Language string // python, node, perl, ruby, php, awk, …
	Text     string
	Guess    bool
}

// Remark is about a way of writing that hides what a line does, or about a part of the line
// that cannot be followed.
type Remark struct {
	Kind     Kind
	Message  string
	Evidence string
}

// Kind is the kind of a remark.
type Kind string

// Kinds of remarks.
const (
	SplitWord  Kind = "obfuscated_word" // needless quotes, backslashes or braces in a word
	Separators Kind = "ifs"             // $IFS in the place of blanks
	Indirect   Kind = "indirection"     // a variable, or a name that means another program than its own
	Characters Kind = "unicode"
	LineBreak  Kind = "newline"
	Output     Kind = "substitution" // what a program prints or a file holds
	Encoded    Kind = "encoded"      // what a decoder makes, or letters by their numbers
	GlobName   Kind = "glob"         // a file name pattern
	Limit      Kind = "unparsable"   // the line is too long or too involved
	// ValueRuns is a place where bash runs a value as a command: no approval should allow it.
	ValueRuns Kind = "indirection.value_runs"
)

// MaxSource is the size of the longest line that is looked at, in bytes.
const MaxSource = 16 << 10

// Analyze looks at a command line. It never returns nil.
func Analyze(source string) *Analysis {
	a := &Analysis{Source: source}
	if len(source) > MaxSource {
		a.notUnderstood(Limit, "the command is too long to be looked at", source)
		return a
	}
	a.Source, _ = Mend(source)
	if isDynamic(a.Source) {
		a.obfuscated(Characters, "it holds characters that are no text", a.Source)
	}
	file, err := Parse(a.Source)
	if err != nil {
		errors.As(err, &a.SyntaxError)
		if bracketed.MatchString(a.Source) {
			a.obfuscated(GlobName, "a file name pattern decides which program runs", bracketed.FindString(a.Source))
		}
		if file = beforeError(a.Source); file == nil {
			return a
		}
	}
	a.inspect(file, a.Source)
	a.dryRun(file)
	return a
}

func (a *Analysis) notUnderstood(kind Kind, reason, evidence string) {
	a.NotUnderstood = noted(a.NotUnderstood, Remark{kind, reason, render(evidence)})
}

func (a *Analysis) obfuscated(kind Kind, message, evidence string) {
	a.Obfuscations = noted(a.Obfuscations, Remark{kind, message, render(evidence)})
}

// noted is a list with a remark that is new.
func noted(list []Remark, remark Remark) []Remark {
	if len(list) >= maxReports || slices.ContainsFunc(list, func(known Remark) bool {
		return known.Kind == remark.Kind && (known.Evidence == remark.Evidence || remark.Kind == Limit)
	}) {
		return list
	}
	return append(list, remark)
}

// maxReports bounds the obfuscations and the gaps that are listed.
const maxReports = 50

// gapOf is the kind of the first unknown part of a text.
func gapOf(text string) Kind {
	kind := Indirect
	for _, u := range unknownsOf(text) {
		switch u.kind {
		case fromDecoder:
			return Encoded
		case fromProgram, fromFile:
			kind = Output
		}
	}
	return kind
}

func word(text string) Word { return Word{Text: render(text), Dynamic: isDynamic(text)} }

// Name is the program without its directory, in small letters; empty where it is not known.
func (c *Call) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	name := c.Words[0].Text
	name = name[strings.LastIndexByte(name, '/')+1:]
	if c.Words[0].Dynamic && strings.ContainsAny(name, "$()<") {
		return ""
	}
	return strings.ToLower(name)
}

// Args are the words behind the program, in one line.
func (c *Call) Args() string {
	if len(c.Words) < 2 {
		return ""
	}
	return joined(c.Words[1:])
}

// String is the call as a line, for messages.
func (c *Call) String() string {
	var parts []string
	for _, v := range c.Variables {
		parts = append(parts, v.Text)
	}
	if len(c.Words) > 0 {
		parts = append(parts, joined(c.Words))
	}
	for _, w := range c.Writes {
		parts = append(parts, "> "+w.Text)
	}
	for _, r := range c.Reads {
		parts = append(parts, "< "+r.Text)
	}
	return strings.Join(parts, " ")
}

func joined(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// inspect looks at a script as it is written, before anything is expanded.
func (a *Analysis) inspect(file *syntax.File, source string) {
	a.inspectCharacters(file, source)
	a.inspectLines(file, source)
	a.inspectNodes(file)
}

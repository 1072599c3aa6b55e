package shellsyntax

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Analysis is what a command line can run, as far as the line itself tells:
// variables that it sets, braces and the output of plain commands are worked out.
// It is made for finding dangers. Where a word can become several things, there
// are several commands.
type Analysis struct {
	Source string // the line as it runs: mended
	// Refused says that the line itself does not parse: the shell tool answers it
	// with a syntax error and runs nothing of it.
	Refused bool
	// Err says why the line cannot be understood; nil: it can. The rest is then about
	// what bash runs before it comes to the error.
	Err *SyntaxError
	// Overflow says that the line is too large to look at all of it.
	Overflow bool
	Commands []*Command
	Dangers  []Danger
	Oddities []Oddity

	made *analyzer // whose memory the commands are in; nil: none
}

// MaxSource is the size of the longest line that is looked at, in bytes; and
// maxCommands how many commands of one.
const (
	MaxSource   = 16 << 10
	maxCommands = 1000
	maxScripts  = 100
	maxPipes    = 1000
)

// Analyze looks at a command line. Release gives back the memory that it takes.
func Analyze(source string) *Analysis {
	return analyzers.Get().(*analyzer).analyze(source) // one that panics does not come back
}

func (z *analyzer) analyze(source string) *Analysis {
	a := &Analysis{Source: source}
	if len(source) > MaxSource || strings.Count(source, "|") > maxPipes {
		a.Overflow = true
		return a
	}
	source, _ = Mend(source)
	a.Source = source
	z.a = a
	a.Commands = z.listed
	z.script(source, nil, 0)
	z.runWritten()
	z.oddPipes()
	z.oddReferences()
	z.dangers()
	a.Overflow = a.Overflow || z.x.large
	z.listed, a.made = a.Commands, z
	return a
}

// maxVanished bounds how many variables in front of a command are taken for empty.
const maxVanished = 4

// analyzer walks through one line and all that it runs.
type analyzer struct {
	a        *Analysis
	x        *expander
	scripts  int
	bomb     string            // name of a function that is a fork bomb
	files    map[string]string // what the line downloads, by file, and the program that does
	fetched  bool              // it downloads files whose names are not known
	plain    map[string]bool   // files that the line decodes
	written  map[string]string // what the line writes into files, by the last part of their names
	vanished int               // variables in front of a command that were taken for empty
	reads    []*syntax.Stmt    // stages in front of the command that is walked through
	source   string            // of the script that is walked through
	tail     bool              // that it is the line itself

	functions *functions // of the script that is walked through; nil: there are none
	memory
}

// list puts a command behind the others.
func (z *analyzer) list(command *Command) { z.a.Commands = append(z.a.Commands, command) }

// placed is a command where commands of the analysis lie.
func (z *analyzer) placed(command Command) *Command {
	place := z.commands.one()
	*place = command
	return place
}

func (z *analyzer) script(source string, via []string, depth int) {
	if z.scripts++; z.scripts > maxScripts || !z.x.spend(len(source)/16) {
		z.a.Overflow = true
		return
	}
	script, err := Parse(source)
	if err != nil {
		z.a.Refused = z.a.Refused || depth == 0
		var why *SyntaxError
		if errors.As(err, &why) && z.a.Err == nil {
			z.a.Err = why
		}
		if bracketed.MatchString(source) {
			z.odd(Glob, bracketed.FindString(source), "a file name pattern decides which program runs")
		}
		if script = beforeError(source); script == nil {
			return
		}
	}
	before, outer, stacked := z.source, z.tail, len(z.nodes)
	z.source, z.tail = source, depth == 0
	z.lexical(script, source)
	around := z.functions
	z.file(script.file, via, depth)
	z.leave(around)
	z.source, z.tail, z.nodes = before, outer, z.nodes[:stacked]
	if mayDefine(source) {
		if name := script.forkBomb(); name != "" {
			z.bomb = name
		}
	}
}

// bracketed is a program named by a pattern such as r[m], which the parser takes
// for the item of an array.
var bracketed = regexp.MustCompile(`(?:^|[;&|(\n]\s*)[A-Za-z_]\w*\[[^\]=]*\]\s`)

// beforeError is the part of a line that bash runs before it sees the error; nil: none.
func beforeError(source string) *Script {
	if nesting(source) > maxNesting {
		return nil
	}
	file := &syntax.File{}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	failed := false
	for stmt, err := range parser.StmtsSeq(strings.NewReader(source)) {
		failed = failed || err != nil // it goes on behind an error, and must not be stopped
		if !failed && stmt != nil {
			file.Stmts = append(file.Stmts, stmt)
		}
	}
	script, err := understood(&Script{file: file}, source)
	if err != nil || len(file.Stmts) == 0 {
		return nil
	}
	return script
}

func mentions(source string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(source, word) })
}

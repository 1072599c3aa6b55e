package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is one simple command of a line: a program, a builtin or a function
// with its words.
type Command struct {
	Words []Word   // the first is the program
	Via   []string // programs that run it, the outermost first: sudo, env, bash -c
	// Opaque says why what it runs cannot be known before it runs; empty: it can.
	Opaque string
	// Assigned are the names of the variables that are set for it, or by it alone.
	Assigned []string
	// PipedFrom are the programs in front of it in its pipe.
	PipedFrom []string
	// WritesTo are the files that its output goes to.
	WritesTo []Word
	// Open says that it gets more words than are known, as under xargs.
	Open bool
	// Piped says that it reads what another command of the line writes.
	Piped bool

	// What follows is known of commands of an Analysis alone.

	// Guess says that it is what the line runs if variables that it does not set are empty.
	Guess bool
	// Inner says that it stands in a substitution.
	Inner bool
	// Found says that it stands for what find deletes.
	Found bool
	// Depth is how many programs run it: 0 for one that stands in the line itself.
	Depth int
	// ReadsFrom are the files that its input comes from.
	ReadsFrom []Word
	// Settings are the variables that are set for it, or by it alone: "NAME=value".
	Settings []Word
	// Substituted are the programs whose output its words or its input are made of.
	Substituted []string
	// Input is what it reads, where that is plain to see.
	Input *Word
	// Operands are the names that xargs hands on, as patterns.
	Operands []Word
}

// Name is the program without its directory; empty where it is not known.
func (c Command) Name() string {
	if len(c.Words) == 0 || !c.Words[0].Static {
		return ""
	}
	name := c.Words[0].Value
	return name[strings.LastIndexByte(name, '/')+1:]
}

// String is the command's words, for messages.
func (c Command) String() string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Value
	}
	return strings.Join(words, " ")
}

// maxUnwrapped bounds how deep commands in commands are followed.
const maxUnwrapped = 8

// Commands lists every simple command that the line can run, in the order of the
// source; behind each those that it runs itself.
func (s *Script) Commands() []Command {
	c := &collector{}
	c.file(s.file, nil, 0)
	return c.found
}

// Functions are the names of the functions that the line defines.
func (s *Script) Functions() []string {
	var names []string
	syntax.Walk(s.file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok {
			names = append(names, f.Name.Value)
		}
		return true
	})
	return names
}

type collector struct{ found []Command }

// context is where a simple command stands.
type context struct {
	redirects []*syntax.Redirect
	pipedFrom []string
	piped     bool
}

func (c *collector) file(file *syntax.File, via []string, depth int) {
	around := map[*syntax.CallExpr]*context{}
	at := func(call *syntax.CallExpr) *context {
		if around[call] == nil {
			around[call] = &context{}
		}
		return around[call]
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Stmt:
			if len(node.Redirs) == 0 {
				return true
			}
			for _, call := range callsOf(node) {
				at(call).redirects = append(at(call).redirects, node.Redirs...)
			}
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				for _, call := range callsOf(node.Y) {
					at(call).piped = true
					for _, from := range callsOf(node.X) {
						at(call).pipedFrom = append(at(call).pipedFrom, nameOf(from))
					}
				}
			}
		case *syntax.CallExpr:
			c.call(node, at(node), via, depth)
		case *syntax.DeclClause:
			c.declare(node, via)
		}
		return true
	})
}

// callsOf are the simple commands directly in a statement, through blocks,
// subshells, lists and pipes.
func callsOf(stmt *syntax.Stmt) []*syntax.CallExpr {
	var calls []*syntax.CallExpr
	syntax.Walk(stmt, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			calls = append(calls, node)
			return false
		case *syntax.FuncDecl, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return true
	})
	return calls
}

func nameOf(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	if word, ok := plain(call.Args[0]); ok {
		return word.Value[strings.LastIndexByte(word.Value, '/')+1:]
	}
	return Command{Words: []Word{wordOf(call.Args[0])}}.Name()
}

func (c *collector) call(call *syntax.CallExpr, around *context, via []string, depth int) {
	command := Command{Via: via, Piped: around.piped, PipedFrom: around.pipedFrom}
	for _, assign := range call.Assigns {
		if assign.Name != nil {
			command.Assigned = append(command.Assigned, assign.Name.Value)
		}
	}
	for _, arg := range call.Args {
		command.Words = append(command.Words, wordOf(arg))
	}
	var document *Word
	for _, redirect := range around.redirects {
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if redirect.Hdoc != nil {
				w := heredoc(redirect)
				document = &w
			}
		case syntax.WordHdoc:
			w := wordOf(redirect.Word)
			document = &w
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
			command.WritesTo = append(command.WritesTo, wordOf(redirect.Word))
		}
	}
	c.add(command, document, depth)
}

// heredoc is the body as the command reads it.
func heredoc(redirect *syntax.Redirect) Word {
	quoted := false
	for _, part := range redirect.Word.Parts {
		if _, plain := part.(*syntax.Lit); !plain {
			quoted = true
		}
	}
	var text strings.Builder
	static := true
	for _, part := range redirect.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			if quoted {
				text.WriteString(lit.Value)
			} else {
				text.WriteString(unescape(lit.Value, "$`\\"))
			}
			continue
		}
		static = false
		text.WriteString(printed(part))
	}
	return Word{Value: text.String(), Static: static}
}

// declare lists export, declare and the like, which set variables.
func (c *collector) declare(clause *syntax.DeclClause, via []string) {
	command := Command{Via: via, Words: []Word{{Value: clause.Variant.Value, Static: true}}}
	for _, assign := range clause.Args {
		if assign.Name != nil {
			command.Assigned = append(command.Assigned, assign.Name.Value)
			command.Words = append(command.Words, Word{Value: assign.Name.Value, Static: true})
		} else if assign.Value != nil {
			command.Words = append(command.Words, wordOf(assign.Value))
			if w := wordOf(assign.Value); !w.Static {
				command.Opaque = "the variables that it sets are not known"
			}
		}
	}
	c.found = append(c.found, command)
}

// add lists a command and what it runs in its turn.
func (c *collector) add(command Command, document *Word, depth int) {
	if len(command.Words) == 0 && len(command.Assigned) == 0 && len(command.WritesTo) == 0 {
		return
	}
	if len(command.Words) > 0 && !command.Words[0].Static {
		command.Opaque = "its name is not known before it runs"
	}
	if depth >= maxUnwrapped {
		command.Opaque = "commands are nested too deep"
		c.found = append(c.found, command)
		return
	}
	inner := unwrap(command, document)
	command.Opaque = first(command.Opaque, inner.opaque)
	c.found = append(c.found, command)
	via := append(slices.Clone(command.Via), inner.as)
	for _, one := range inner.commands {
		one.Via, one.Piped, one.PipedFrom = via, command.Piped, command.PipedFrom
		one.WritesTo = append(one.WritesTo, command.WritesTo...)
		c.add(one, document, depth+1)
	}
	for _, source := range inner.scripts {
		script, err := Parse(source)
		if err != nil {
			c.found[len(c.found)-1].Opaque = "what it runs cannot be parsed: " + err.Error()
			continue
		}
		c.file(script.file, via, depth+1)
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

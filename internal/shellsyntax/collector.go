package shellsyntax

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

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

// maxRedirects is how many redirections around a command are looked at: the inner
// ones hold.
const maxRedirects = 16

// maxAround bounds the work on redirections and pipes around commands.
const maxAround = 40000

type collector struct {
	found  []Command
	around int
}

// within are the simple commands in a statement; nil where that was too much already.
func (c *collector) within(stmt *syntax.Stmt) []*syntax.CallExpr {
	if c.around > maxAround {
		return nil
	}
	calls := callsOf(stmt)
	if c.around += len(calls); c.around > maxAround {
		c.found = append(c.found, Command{Opaque: "the line is too involved"})
	}
	return calls
}

// context is where a simple command stands.
type context struct {
	redirects []*syntax.Redirect
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
			for _, call := range c.within(node) {
				outer := at(call).redirects
				at(call).redirects = append(outer[max(0, len(outer)-maxRedirects):], node.Redirs...)
			}
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				for _, call := range c.within(node.Y) {
					at(call).piped = true
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

func (c *collector) call(call *syntax.CallExpr, around *context, via []string, depth int) {
	command := Command{Via: via, Piped: around.piped}
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
	inner := insideOf(&command, document)
	command.Opaque = first(command.Opaque, inner.opaque)
	c.found = append(c.found, command)
	via := append(slices.Clone(command.Via), inner.as)
	for _, one := range inner.commands {
		one.Via, one.Piped = via, command.Piped
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

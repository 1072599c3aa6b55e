package shellsyntax

import (
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
	// WritesTo are the files that its output goes to.
	WritesTo []Word
	// Open says that it gets more words than are known, as under xargs.
	Open bool
	// Piped says that it reads what another command of the line writes.
	Piped bool

	// What follows is known of commands of an Analysis alone.

	// PipedFrom are the programs in front of it in its pipe.
	PipedFrom []string
	// Guess says that it is what the line runs if variables that it does not set are empty.
	Guess bool
	// Inner says that it stands in a substitution.
	Inner bool
	// Read says that it hands nothing to a shell but harmless scripts that stand in the line.
	Read bool
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

	shapes []string // of rules that are about it
}

// Name is the program without its directory; empty where it is not known.
func (c *Command) Name() string { return programOf(c.Words) }

func programOf(words []Word) string {
	if len(words) == 0 || !words[0].Static {
		return ""
	}
	name := words[0].Value
	return name[strings.LastIndexByte(name, '/')+1:]
}

// String is the command's words, for messages.
func (c *Command) String() string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Value
	}
	return strings.Join(words, " ")
}

// maxUnwrapped bounds how deep commands in commands are followed.
const maxUnwrapped = 8

// callsOf are the simple commands directly in a statement, through blocks,
// subshells, lists and pipes.
func callsOf(stmt *syntax.Stmt) []*syntax.CallExpr {
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		return []*syntax.CallExpr{call}
	}
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
	return programOf([]Word{wordOf(call.Args[0])})
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

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

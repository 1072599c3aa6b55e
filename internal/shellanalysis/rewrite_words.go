package shellanalysis

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// inside rewrites the words below a node.
func (w *rewriter) inside(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		if word, ok := node.(*syntax.Word); ok {
			*word = *w.word(word)
			return false
		}
		return true
	})
}

// maxExpansions bounds the parts of a word that are expanded, and maxWords what braces make.
const (
	maxExpansions = 64
	maxWords      = 1000
)

func (w *rewriter) word(word *syntax.Word) *syntax.Word {
	if expansionsOf(word) > maxExpansions {
		w.err = errExpansions
	}
	word.Parts = w.parts(word.Parts)
	return word
}

// words are words after braces.
func (w *rewriter) words(list []*syntax.Word) []*syntax.Word {
	var out []*syntax.Word
	for _, word := range list {
		word = w.word(word)
		if !syntax.SplitBraces(word) {
			out = append(out, word)
			continue
		}
		for _, part := range word.Parts {
			if brace, ok := part.(*syntax.BraceExp); ok && brace.Sequence {
				clampSequence(brace)
			}
		}
		for expanded := range expand.BracesSeq(nil, word) {
			if len(out) > maxWords {
				w.err = errBraces
				return nil
			}
			if expanded != nil {
				out = append(out, expanded)
			}
		}
	}
	return out
}

// unescaped writes escaped characters in quotes: where no words are split, the interpreter
// keeps the backslash in front of a quote.
func unescaped(word *syntax.Word) *syntax.Word {
	var parts []syntax.WordPart
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || !strings.Contains(lit.Value, `\`) {
			parts = append(parts, part)
			continue
		}
		plain, rest, found := strings.Cut(lit.Value, `\`)
		for found && rest != "" {
			if plain != "" {
				parts = append(parts, literal(plain))
			}
			text := rest[:1]
			if strings.Contains("$`\"\\", text) {
				text = `\` + text
			}
			if text != "\n" {
				parts = append(parts, &syntax.DblQuoted{Parts: []syntax.WordPart{literal(text)}})
			}
			plain, rest, found = strings.Cut(rest[1:], `\`)
		}
		if plain != "" {
			parts = append(parts, literal(plain))
		}
	}
	return &syntax.Word{Parts: parts}
}

func expansionsOf(word *syntax.Word) int {
	n := 0
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.ParamExp:
			n++
		}
		return true
	})
	return n
}

func (w *rewriter) parts(parts []syntax.WordPart) []syntax.WordPart {
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			part.Parts, part.Dollar = w.parts(part.Parts), false
			for i, inner := range part.Parts {
				if quoted, ok := inner.(*syntax.DblQuoted); ok { // what stood for $0
					part.Parts[i] = quoted.Parts[0]
				}
			}
		case *syntax.CmdSubst:
			w.substitution(part)
		case *syntax.ProcSubst:
			parts[i] = w.processSubstitution(part)
		case *syntax.ParamExp:
			parts[i] = w.parameter(part)
		case *syntax.ArithmExp:
			w.inside(part.X)
		}
	}
	return parts
}

func (w *rewriter) substitution(part *syntax.CmdSubst) {
	part.Backquotes, part.TempFile, part.ReplyVar = false, false, false
	if len(part.Stmts) == 1 && part.Stmts[0].Cmd == nil && len(part.Stmts[0].Redirs) == 1 &&
		part.Stmts[0].Redirs[0].Op == syntax.RdrIn {
		r := part.Stmts[0].Redirs[0] // $(<file)
		r.Word = w.word(r.Word)
		return
	}
	part.Stmts = w.stmts(part.Stmts)
}

// processSubstitution is the name of a file that holds what the statements print.
func (w *rewriter) processSubstitution(part *syntax.ProcSubst) *syntax.CmdSubst {
	if part.Op == syntax.CmdOut {
		block := &syntax.Stmt{Cmd: &syntax.Block{Stmts: part.Stmts}}
		unknown := &syntax.Redirect{Op: syntax.WordHdoc, Word: textWord(marker(fromProgram, "process"))}
		block.Redirs = []*syntax.Redirect{unknown}
		part.Stmts = []*syntax.Stmt{block}
	}
	substitute := internalStmt("substitute")
	substitute.Redirs = []*syntax.Redirect{hereString(&syntax.Stmt{Cmd: &syntax.Block{Stmts: part.Stmts}})}
	_, substitute.Redirs = w.redirects(substitute.Redirs)
	return &syntax.CmdSubst{Stmts: []*syntax.Stmt{substitute}}
}

func (w *rewriter) parameter(p *syntax.ParamExp) syntax.WordPart {
	if p.Param != nil && p.Param.Value == "0" && w.name != "" && p.Exp == nil && p.Repl == nil && p.Slice == nil {
		escape := strings.NewReplacer(`\`, `\\`, `$`, `\$`, `"`, `\"`, "`", "\\`")
		return &syntax.DblQuoted{Parts: []syntax.WordPart{literal(escape.Replace(w.name))}}
	}
	if p.Repl != nil && p.Repl.With != nil && expansionsOf(p.Repl.With) > 0 {
		w.err = errReplacement
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && strings.Contains("aAkKPE",
		p.Exp.Word.Lit()) {
		p.Exp = nil // the value alone; ${x@P} is an obfuscation
	}
	w.inside(p)
	return p
}

// maxSequence is how many numbers of a sequence are looked at.
const maxSequence = 30

func clampSequence(brace *syntax.BraceExp) {
	from, err1 := strconv.Atoi(brace.Elems[0].Lit())
	to, err2 := strconv.Atoi(brace.Elems[1].Lit())
	if err1 != nil || err2 != nil {
		return // letters
	}
	step := 1
	if len(brace.Elems) > 2 {
		n, _ := strconv.Atoi(brace.Elems[2].Lit())
		step = max(n, -n, 1)
	}
	if last := min(max(to, from-maxSequence*step), from+maxSequence*step); last != to {
		brace.Elems[1] = textWord(strconv.Itoa(last))
	}
}

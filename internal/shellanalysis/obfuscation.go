package shellanalysis

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bracketed is a program named by a pattern such as r[m], which the parser takes for the
// item of an array.
var bracketed = regexp.MustCompile(`(?:^|[;&|(\n]\s*)[A-Za-z_]\w*\[[^\]=]*\]\s`)

// inspectNodes looks at the nodes of a script.
func (a *Analysis) inspectNodes(file *syntax.File) {
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			a.inspectCall(node)
		case *syntax.Assign:
			if node.Name != nil {
				a.inspectHiding(node.Name.Value, nodeText(node))
			}
		case *syntax.DeclClause:
			a.inspectHiding(node.Variant.Value, nodeText(node))
		case *syntax.ParamExp:
			a.inspectParameter(node)
		case *syntax.FuncDecl:
			a.inspectFunction(node)
		case *syntax.WhileClause:
			a.inspectLoop("while", isEndless(node.Cond, node.Until), node.Do)
		case *syntax.ForClause:
			loop, counts := node.Loop.(*syntax.CStyleLoop)
			a.inspectLoop("for", counts && loop.Cond == nil, node.Do)
		case *syntax.SglQuoted:
			if escapedText.MatchString(node.Value) && (node.Dollar || runsText.MatchString(a.Source)) {
				a.obfuscated(Encoded, "text is written as the numbers of its letters", node.Value)
			}
		case *syntax.TestClause:
			a.inspectHiding("[[", nodeText(node))
		}
		return true
	})
}

// escapedText are letters by their numbers.
var escapedText = regexp.MustCompile(`(?i)(\\x[67][0-9a-f].?){2}|(\\0?1[4-7][0-7].?){2}`)

func (a *Analysis) inspectLoop(name string, endless bool, body []*syntax.Stmt) {
	if endless && startsJobs(body) {
		a.ForkBomb = name
	}
}

// runsText finds programs that run text.
var runsText = regexp.MustCompile(`sh|eval`)

func (a *Analysis) inspectParameter(p *syntax.ParamExp) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && p.Exp.Word.Lit() == "P" {
		a.obfuscated(ValueRuns, "the value of a variable is expanded as a prompt, which runs commands in it",
			nodeText(p))
	}
	if p.Names != 0 {
		a.obfuscated(Indirect, "it lists the variables of the environment", nodeText(p))
	}
}

func isEndless(cond []*syntax.Stmt, until bool) bool {
	if len(cond) != 1 {
		return false
	}
	text := strings.TrimSpace(printed(cond))
	return until && text == "false" || !until && (text == "true" || text == ":")
}

// startsJobs says whether a body starts something in the background and waits for nothing.
func startsJobs(body []*syntax.Stmt) bool {
	starts, waits := false, false
	for _, stmt := range body {
		starts = starts || stmt.Background
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && !stmt.Background && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			waits = waits || name == "wait" || name == "sleep" || name == "read"
		}
	}
	return starts && !waits
}

func (a *Analysis) inspectCall(call *syntax.CallExpr) {
	if len(call.Args) == 0 {
		return
	}
	name := call.Args[0].Lit()
	for i, arg := range call.Args {
		if isSplitWord(arg, i == 0 || startsPrograms(baseName(name)) && i < 4 || table().Subcommands[name] && i == 1) {
			a.obfuscated(SplitWord, "a word is written so that it does not look like what it is", nodeText(arg))
		}
		if usesIFS(arg) && name != "echo" {
			a.obfuscated(Separators, "the separators of the shell stand in the place of blanks", nodeText(call))
		}
	}
	if text := nodeText(call.Args[0]); shellVariable.MatchString(text) {
		a.obfuscated(Indirect, "a variable names the shell that runs", text)
	}
	if name != "" && !isASCII(name) && !strings.Contains(name, "/") {
		a.obfuscated(Characters, "the name of a program has letters that are not those of a program", name)
	}
	if first := call.Args[0]; hasPattern(first) {
		a.obfuscated(GlobName, "a file name pattern decides which program runs", nodeText(first))
	}
	a.inspectHiding(name, nodeText(call))
}

// shellVariable is a program that is the shell itself.
var shellVariable = regexp.MustCompile(`^"?\$\{?(0|SHELL|BASH)\b[^/]*$`)

// startsPrograms says whether a program or builtin runs what its first words name.
func startsPrograms(name string) bool {
	rows := table().wraps[name]
	return len(rows) > 0 && rows[0].Sub == nil || name == "command" || name == "exec" || name == "builtin"
}

// isSplitWord says whether quotes, backslashes or braces stand inside a word that needs
// none. Of arguments only options, subcommands and paths count.
func isSplitWord(word *syntax.Word, program bool) bool {
	plain, quotes, empty, lastQuoted := "", 0, false, false
	for _, part := range word.Parts {
		text, quoted, dollar, known := literalPart(part)
		switch {
		case !known:
			return false
		case isHidden(text, quoted, dollar, program):
			return true
		case quoted && !isPlain(text):
			return false
		case quoted:
			quotes++
			empty = empty || text == ""
		default:
			plain += text
		}
		lastQuoted = quoted
	}
	if quotes == 0 || len(word.Parts) < 2 || !isPlain(plain) {
		return false
	}
	return program || empty || isSplitArgument(word, plain, lastQuoted)
}

// isSplitArgument says whether an option or a path has quotes inside: -"r"f, not -f"value".
func isSplitArgument(word *syntax.Word, plain string, lastQuoted bool) bool {
	if strings.HasPrefix(plain, "-") {
		return !lastQuoted || len(plain) == 1 || strings.HasPrefix(plain, "--")
	}
	return !lastQuoted && !endsInSeparator(word)
}

// isHidden says whether a part of a word writes letters as something else: $'\x72m', r\m, {r,}m.
func isHidden(text string, quoted, dollar, program bool) bool {
	switch {
	case dollar:
		return (program || numberedLetter.MatchString(text)) && !strings.Contains(text, " ")
	case quoted:
		return false
	}
	return escapedLetter(text) && (program || strings.ContainsAny(text, "/-")) ||
		program && needlessBraces.MatchString(text)
}

// literalPart is the text of a part of a word that nothing is expanded in.
func literalPart(part syntax.WordPart) (text string, quoted, dollar, known bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		return part.Value, false, false, true
	case *syntax.SglQuoted:
		return part.Value, true, part.Dollar, true
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok {
				return "", false, false, false
			}
			text += lit.Value
		}
		return text, true, part.Dollar, true
	}
	return "", false, false, false
}

// endsInSeparator says whether each quoted part is a whole part of a path: "a b"/c.
func endsInSeparator(word *syntax.Word) bool {
	for i, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		if i > 0 && !strings.HasPrefix(lit.Value, "/") && !strings.HasPrefix(lit.Value, ".") || i < len(word.Parts)-1 &&
			!strings.HasSuffix(lit.Value, "/") && !strings.HasSuffix(lit.Value, ".") {
			return false
		}
	}
	return true
}

var (
	numberedLetter = regexp.MustCompile(`\\(x[0-9a-fA-F]{2}|[0-7]{3}|u[0-9a-fA-F]{2,4})`)
	needlessBraces = regexp.MustCompile(`^[^{]*\{[\w./-]*(,|\.\.)[\w./,-]*\}`)
	plainText      = regexp.MustCompile(`^[\w./-]*$`)
	letterEscape   = regexp.MustCompile(`[\w/-]\\[A-Za-z]|^\\[A-Za-z]\\|\\[A-Za-z][\w]*\\[A-Za-z]`)
)

func isPlain(text string) bool { return plainText.MatchString(text) }

// escapedLetter finds a backslash in front of a letter, inside a word.
func escapedLetter(text string) bool { return letterEscape.MatchString(text) }

func usesIFS(word *syntax.Word) bool {
	found := false
	syntax.Walk(word, func(node syntax.Node) bool {
		if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "IFS" {
			found = true
		}
		return true
	})
	return found
}

// hasPattern says whether the program of a call is a file name pattern.
func hasPattern(word *syntax.Word) bool {
	if len(word.Parts) == 1 {
		if lit := word.Lit(); lit == "[" || lit == "[[" {
			return false
		}
	}
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.ContainsAny(strings.NewReplacer(`\*`, "", `\?`, "", `\[`,
			"").Replace(lit.Value), "*?[") {
			return true
		}
		if _, ok := part.(*syntax.ExtGlob); ok {
			return true
		}
	}
	return false
}

// inspectHiding compares a call or an assignment with the rows of data/obfuscations.yaml.
func (a *Analysis) inspectHiding(name, text string) {
	for i := range table().Hiding {
		if row := &table().Hiding[i]; row.Names[name] && row.Pattern.MatchString(text) &&
			(row.Except == nil || !row.Except.MatchString(text)) {
			a.obfuscated(row.Kind, row.Message, text)
		}
	}
}

func (a *Analysis) inspectFunction(f *syntax.FuncDecl) {
	a.Functions = append(a.Functions, f.Name.Value)
	if table().WellKnown[f.Name.Value] {
		a.obfuscated(Indirect, "a function has the name of a program", f.Name.Value+"()")
	}
	syntax.Walk(f.Body, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Stmt:
			if node.Background && callsItself(node, f.Name.Value) {
				a.ForkBomb = f.Name.Value
			}
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe && (callsItself(node.X, f.Name.Value) || callsItself(node.Y, f.Name.Value)) {
				a.ForkBomb = f.Name.Value
			}
		}
		return true
	})
}

func callsItself(stmt *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(stmt, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == name {
			found = true
		}
		return true
	})
	return found
}

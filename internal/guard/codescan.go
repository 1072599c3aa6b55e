package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// scan is what code names: texts, the commands that it gives to a shell, the
// functions that it calls. Texts that are joined in the code are joined here, too;
// parts that are not known are a hole.
type scan struct {
	language string
	tokens   []token
	at       int
	depth    int
	steps    int
	known    map[string]string // variables with a text

	large bool // there is too much to look at all of it
	spent int  // bytes of texts

	piping int // commands that awk runs

	texts    []string
	commands []string
	lines    []*shellsyntax.Analysis // what the commands mean, each once
	calls    []string                // names in front of a bracket, with their dots: os.system
	environs []string                // variables of the environment by name

	plain   bool // it starts nothing but harmless commands that stand in it as they are
	removed bool // and it deletes nothing else
	removes bool // it deletes files
}

// scanCode reads code of a language.
func scanCode(language, code string) *scan {
	s := &scan{language: language, tokens: tokenize(language, code), known: map[string]string{}}
	s.statements()
	s.large = s.large || len(s.tokens) >= maxTokens || s.steps > maxCodeSteps
	s.moreRuns()
	runs, plain := s.plainRuns()
	removals, removes, removed := s.deletions()
	s.removes, s.removed = removes, removed
	if plain {
		s.commands = runs
	}
	seen := map[string]*shellsyntax.Analysis{}
	for _, command := range append(s.commands, removals...) {
		if seen[command] != nil {
			continue
		}
		if len(s.lines) >= maxCodeRuns {
			s.large = true
			break
		}
		line := shellsyntax.Analyze(strings.NewReplacer(hole, "", "\x01", "").Replace(command))
		s.large = s.large || line.Overflow
		s.lines = append(s.lines, line)
		seen[command] = line
	}
	s.plain = plain && !slices.ContainsFunc(runs, func(run string) bool { return seen[run] == nil || !isHarmless(seen[run]) })
	return s
}

// Bounds of the work on one piece of code.
const (
	maxCodeDepth = 40
	maxCodeSteps = 50000
	maxCodeText  = 2048
	maxCodeTexts = 32 << 10 // bytes of all texts together
	maxCodeRuns  = 64       // commands that are looked at
	maxCodeName  = 200
)

func (s *scan) peek(ahead int) token {
	if s.at+ahead < len(s.tokens) {
		return s.tokens[s.at+ahead]
	}
	return token{kind: lineToken}
}

func (s *scan) is(mark string) bool {
	t := s.peek(0)
	return t.kind == markToken && t.value == mark
}

// statements reads one expression after the other; what it does not understand
// it steps over.
func (s *scan) statements() {
	for s.at < len(s.tokens) {
		if s.steps++; s.steps > maxCodeSteps {
			return
		}
		start := s.at
		if name := s.peek(0); name.kind == nameToken && s.assigns(1) {
			s.at += 2
			if value, ok := s.expression(); ok {
				s.known[name.value] = value
			}
			continue
		}
		s.expression()
		if s.at == start {
			s.at++
		}
	}
}

func (s *scan) assigns(ahead int) bool {
	a, b := s.peek(ahead), s.peek(ahead+1)
	return a.kind == markToken && a.value == "=" && (b.kind != markToken || b.value != "=")
}

// expression reads operands joined by + and /, and by standing side by side. ok
// says that it is a text, at least in parts.
func (s *scan) expression() (string, bool) {
	if s.depth >= maxCodeDepth {
		s.at++
		return "", false
	}
	s.depth++
	defer func() { s.depth-- }()
	s.pipes()
	value, ok := s.operand()
	for {
		if s.steps++; s.steps > maxCodeSteps {
			return value, ok
		}
		s.pipes()
		next := s.peek(0)
		switch {
		case next.kind == textToken && ok:
			more, _ := s.operand()
			if len(value) < maxCodeText {
				value = clip(value + more)
			}
		case next.kind == markToken && next.value == "+" || next.kind == markToken && next.value == "." && s.language != "python" && s.peek(1).kind == textToken && ok:
			s.at++
			more, moreOK := s.operand()
			if !ok {
				value = hole
			}
			if !moreOK {
				more = hole
			}
			value, ok = clip(value+more), ok || moreOK
		case next.kind == markToken && next.value == "/" && s.language == "python":
			s.at++
			more, moreOK := s.operand()
			if !ok {
				value = hole
			}
			if !moreOK {
				more = hole
			}
			value, ok = clip(joinPath(value, more)), ok || moreOK
		case next.kind == markToken && next.value == "%" && ok:
			s.at++
			args := s.argument()
			value = fill(value, args)
		default:
			if ok {
				s.text(value)
			}
			return value, ok
		}
	}
}

// argument is what stands behind %: one value, or several in brackets.
func (s *scan) argument() []string {
	if s.is("(") {
		s.at++
		return s.list(")")
	}
	value, ok := s.operand()
	if !ok {
		value = hole
	}
	return []string{value}
}

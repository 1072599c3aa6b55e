package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// pipes finds the commands of awk: "command" | getline, print | "command".
func (s *scan) pipes() {
	if s.language != "awk" || !s.is("|") || s.at == 0 || s.tokens[s.at-1].value == "|" {
		return
	}
	ahead := 1
	if next := s.peek(1); next.kind == markToken && next.value == "&" { // |& speaks with it
		ahead = 2
	}
	before, behind := s.tokens[s.at-1], s.peek(ahead)
	switch {
	case behind.kind == nameToken && behind.value == "getline":
		whole := s.at < 2 || s.begins(s.tokens[s.at-2])
		s.piped(before, whole && ahead == 1, anyProgram)
	case behind.kind == textToken && s.prints():
		s.piped(behind, ahead == 1 && s.ends(s.peek(ahead+1)), sorters)
	case behind.kind == textToken:
		s.piped(behind, false, nil)
	case behind.kind == nameToken && s.prints():
		s.calls = append(s.calls, "system")
	}
}

// piped notes a command of awk. One that is written out, and harmless by itself, is no
// other program than the line could run without awk.
func (s *scan) piped(command token, whole bool, programs []string) {
	if command.kind != textToken {
		if command.kind != markToken || command.value == ")" || command.value == "]" {
			s.calls = append(s.calls, "system")
		}
		return
	}
	if command.value == "" {
		return
	}
	s.commands = append(s.commands, command.value)
	if s.piping++; !whole || len(command.inner) > 0 || s.piping > maxPiping || !isHarmlessLine(command.value, programs) {
		s.calls = append(s.calls, "system")
	}
}

// begins and ends say whether an expression begins behind, or ends in front of a token.
func (s *scan) begins(t token) bool {
	return t.kind == lineToken || t.kind == markToken && strings.Contains("{};(", t.value)
}

func (s *scan) ends(t token) bool {
	return t.kind == lineToken || t.kind == markToken && strings.Contains("};", t.value)
}

// prints says whether the statement in front of a | is print or printf, and the | none
// of a pattern.
func (s *scan) prints() bool {
	for i := s.at - 1; i >= 0 && i > s.at-256; i-- {
		switch t := s.tokens[i]; {
		case t.kind == lineToken, t.kind == markToken && strings.Contains("{};/~", t.value):
			return false
		case t.kind == nameToken && (t.value == "print" || t.value == "printf"):
			return true
		}
	}
	return false
}

// anyProgram are those that tell something, sorters those that order what they read.
var (
	anyProgram = []string{"date", "hostname", "uname", "pwd", "nproc", "whoami", "tput", "wc", "ls", "sort", "git", "basename", "dirname", "seq", "cat", "head", "tail", "grep", "stat", "echo", "printf"}
	sorters    = []string{"sort", "uniq", "wc", "column", "head", "tail", "cat", "nl", "tac", "less", "cut", "tr", "rev"}
)

// isHarmlessLine says whether a command line runs nothing but some programs, and nothing
// in it is dangerous or odd.
func isHarmlessLine(line string, programs []string) bool {
	if len(line) > maxHarmless {
		return false
	}
	analysis := shellsyntax.Analyze(line)
	defer analysis.Release()
	if analysis.Overflow || analysis.Err != nil || len(analysis.Dangers) > 0 || len(analysis.Oddities) > 0 || len(analysis.Commands) == 0 {
		return false
	}
	return !slices.ContainsFunc(analysis.Commands, func(c *shellsyntax.Command) bool {
		return c.Opaque != "" || len(c.WritesTo) > 0 && c.WritesTo[0].Value != "/dev/stderr" || len(c.Settings) > 0 || len(c.Words) == 0 || !slices.Contains(programs, c.Words[0].Value)
	})
}

// maxHarmless is how long such a line may be, in bytes, and maxPiping how many of them
// are looked at.
const (
	maxHarmless = 200
	maxPiping   = 16
)

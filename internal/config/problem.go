package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong, or worth saying, about a configuration.
type Problem struct {
	File    string // the file, environment variable or flag that says it; empty: none of them
	Line    int    // 1-based; 0: unknown
	Column  int    // 1-based, in characters; 0: unknown
	Key     string // dotted path, such as sub_agent.max_tasks or models[0].id; empty: the file as a whole
	Message string // what is wrong and what to do; quotes no secret and no neighbouring line
}

// String is "config.yml:12:3: sub_agent.max_tasks: …".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	for _, part := range []string{p.Key, p.Message} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(part)
	}
	return b.String()
}

// Problems is everything that is wrong with a configuration, in the order of the
// file. It is the error of Load, Parse and Edit.
type Problems []Problem

// Error is one line per problem.
func (ps Problems) Error() string { return joinLines(ps) }

// Warnings is what a configuration says that has no effect, or that is read
// differently from how it is written. The configuration is in force all the same.
type Warnings []Problem

// Advice is a warning of the program about a key of a valid configuration.
type Advice struct {
	Key     string // dotted path, such as guard.denied_tools[0]
	Message string
	Refuse  bool // it is an error
}

// String is one line per warning.
func (ws Warnings) String() string { return joinLines(ws) }

func joinLines(ps []Problem) string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func sortByPlace(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

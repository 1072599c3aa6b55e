package demo

import (
	"fmt"
	"strings"

	"nanoclaw/internal/jsontree"
)

// step is one thing to do: a call of a tool, in the tool's own terms.
type step struct {
	tool   string // "": asks for nothing that is not done anyway ("and tell me the result")
	args   map[string]any
	source source // where the content to write comes from

	pronoun bool   // its path is "it": the last path that was named
	problem string // phrase key: why it cannot be done as it was said

	needs []int // steps whose results go into it
	after []int // steps that have to end before it starts
}

// source is where a text comes from that the request does not spell out.
type source int

const (
	fromRequest source = iota
	fromLast           // "it", "the result"
	fromAll            // "them", "the results"
)

func (s step) text(argument string) string {
	value, _ := s.args[argument].(string)
	return value
}

// path is where the step reads or writes; "." is the project's root.
func (s step) path() string {
	if to := s.text("to"); to != "" {
		return to
	}
	return s.text("path")
}

// writes reports whether the step changes files, or may.
func (s step) writes() bool {
	switch s.tool {
	case "file_write", "file_append", "file_delete", "file_move", "file_mkdir":
		return true
	}
	return s.runsAnything()
}

func (s step) runsAnything() bool {
	return s.tool == "shell_execute" || s.tool == "execute_python" || s.tool == "multi_agent"
}

// answers reports whether the step's result can be saved or computed with.
func (s step) answers() bool { return s.tool != "" && (!s.writes() || s.runsAnything()) }

// conflicts reports whether a later step has to wait for this one.
func (s step) conflicts(later step) bool {
	return s.writes() && (strings.HasPrefix(later.tool, "file_") || later.runsAnything())
}

// arguments are the step's as its tool takes them, in JSON.
func (s step) arguments() string { return compact(s.args) }

func compact(data any) string {
	encoded, err := jsontree.Encode(data)
	if err != nil {
		return fmt.Sprint(data)
	}
	return string(encoded)
}

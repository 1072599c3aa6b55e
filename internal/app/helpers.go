package app

import (
	"maps"

	"nanoclaw/internal/reexec"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/tools/builtin"
)

// Helpers are all helper processes as which this program starts itself. A program that
// serves gives them to reexec.Main before it does anything else.
func Helpers() reexec.Table {
	table := reexec.Table{}
	maps.Copy(table, sandbox.Helpers())
	maps.Copy(table, builtin.Helpers())
	return table
}

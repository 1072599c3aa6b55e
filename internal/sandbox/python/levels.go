package python

import (
	"fmt"
	"slices"
	"sync"
)

// Levels of strictness, the loosest first.
const (
	Lenient  = "lenient"  // everything that the sandbox lets through; the project can be written
	Standard = "standard" // a list of modules; no files
	Strict   = "strict"   // pure computation
)

var levels = []string{Lenient, Standard, Strict}

// Looser says whether level a lets code do more than level b.
func Looser(a, b string) bool { return slices.Index(levels, a) < slices.Index(levels, b) }

// LevelsFrom are the levels that are no looser than this one, the loosest first.
func LevelsFrom(loosest string) []string {
	return slices.Clone(levels[max(slices.Index(levels, loosest), 0):])
}

// Known says whether there is such a level.
func Known(level string) bool { return slices.Contains(levels, level) }

var allowedModules = map[string][]string{
	Standard: {
		"json", "csv", "re", "typing", "collections", "itertools", "functools", "operator", "heapq", "bisect", "array",
		"copy", "pprint", "enum",
		"math", "cmath", "statistics", "random", "fractions", "decimal", "numbers", "datetime", "time", "calendar",
		"string", "textwrap",
		"unicodedata", "difflib", "base64", "binascii", "quopri", "uu", "html", "xml.etree.ElementTree", "dataclasses",
		"hashlib", "hmac", "abc",
		"contextlib", "warnings", "logging",
	},
	Strict: {
		"collections", "itertools", "functools", "operator", "array", "copy", "enum", "math", "cmath", "numbers",
		"fractions", "decimal", "random",
		"statistics", "string", "textwrap", "unicodedata", "typing", "dataclasses", "abc", "contextlib",
	},
}

var forbiddenBuiltins = map[string][]string{
	Standard: {
		"eval", "exec", "compile", "__import__", "open", "input", "globals", "locals", "vars", "breakpoint", "exit",
		"quit", "memoryview", "bytearray",
	},
}

func init() {
	forbiddenBuiltins[Strict] = append(slices.Clone(forbiddenBuiltins[Standard]), "dir", "hasattr", "getattr",
		"setattr", "delattr", "type", "isinstance", "issubclass")
}

// AllowedModules are the built-in modules of a level; none for lenient, which has no list.
func AllowedModules(level string) []string { return slices.Clone(allowedModules[level]) }

// ForbiddenBuiltins are the builtins that code of a level may not use.
func ForbiddenBuiltins(level string) []string { return slices.Clone(forbiddenBuiltins[level]) }

var extra struct {
	sync.Mutex
	modules map[string][]string
}

// RegisterExtraModules lets code of a level import more modules, for the whole
// process, beside those of config.yml. They must be installed.
func RegisterExtraModules(level string, modules ...string) error {
	if !Known(level) {
		return fmt.Errorf("register Python modules: the level %q is not known: use lenient, standard or strict", level)
	}
	extra.Lock()
	defer extra.Unlock()
	if extra.modules == nil {
		extra.modules = map[string][]string{}
	}
	extra.modules[level] = append(extra.modules[level], modules...)
	return nil
}

func extraModules(level string) []string {
	extra.Lock()
	defer extra.Unlock()
	return slices.Clone(extra.modules[level])
}

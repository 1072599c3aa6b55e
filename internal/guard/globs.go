package guard

import (
	"fmt"

	"github.com/bmatcuk/doublestar/v4"
)

// globs are names or globs of tools.
type globs []string

func newGlobs(patterns []string) (globs, error) {
	for _, pattern := range patterns {
		if !doublestar.ValidatePattern(pattern) {
			return nil, fmt.Errorf("%q is not a valid glob", pattern)
		}
	}
	return globs(patterns), nil
}

// Matches says whether one of the patterns, names or globs, is a tool's.
func Matches(patterns []string, tool string) bool { return globs(patterns).match(tool) }

func (g globs) match(name string) bool {
	for _, pattern := range g {
		if pattern == name || doublestar.MatchUnvalidated(pattern, name) {
			return true
		}
	}
	return false
}

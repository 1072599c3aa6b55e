package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxGlobLength = 1000
	// A match tries every alternative of a brace and every place of a **, so both
	// are bounded.
	maxGlobBraces = 4
	maxGlobDeep   = 10
)

// checkGlob refuses a glob that cannot be read or takes too long to match.
func checkGlob(glob string) error {
	switch {
	case !doublestar.ValidatePattern(glob):
		return Errorf(CodeInvalidArgument, "", "%q is not a valid glob: use * ? [a-z] {one,two} and ** for any depth",
			shorten(glob))
	case len(glob) > maxGlobLength, strings.Count(glob, "{") > maxGlobBraces, strings.Count(glob, "**") > maxGlobDeep:
		return Errorf(CodeInvalidArgument, "", "the glob is too long, or has too many braces or **: split it")
	}
	return nil
}

// matchesFile says whether a filter fits a file: a glob without a slash its
// name, at any depth, else its path from one of the directories that the caller
// may have in mind.
func matchesFile(glob, name string, paths ...string) bool {
	if glob == "" {
		return true
	}
	if !strings.Contains(glob, "/") {
		return doublestar.MatchUnvalidated(glob, name)
	}
	for _, path := range paths {
		if doublestar.MatchUnvalidated(glob, path) {
			return true
		}
	}
	return false
}

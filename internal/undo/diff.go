package undo

import (
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"nanoclaw/internal/workspace"
)

// isText says whether a content can be shown as lines.
func isText(content []byte) bool {
	return utf8.Valid(content) && !strings.ContainsRune(string(content), 0)
}

// Unified is the difference of two texts in the unified format; empty: none.
func Unified(from, to string, before, after []byte) string {
	return udiff.Unified(from, to, string(before), string(after))
}

// ChangeOf is what replacing the content of a file would change; before is nil where
// there is none. Its diff is bounded by limits.
func ChangeOf(projectID, path string, before, after []byte, limits DiffLimits) Change {
	c := Change{ProjectID: projectID, Path: path, Kind: KindModified, Type: workspace.TypeFile,
		SizeBefore: int64(len(before)), SizeAfter: int64(len(after))}
	from := "a/" + path
	if before == nil {
		c.Kind, from = KindCreated, "/dev/null"
	}
	switch {
	case max(c.SizeBefore, c.SizeAfter) > limits.Content:
		c.DiffOmitted = "it is too long"
	case !isText(before) || !isText(after):
		c.DiffOmitted = "it is not text"
	default:
		c.limit(Unified(from, "b/"+path, before, after), limits.All)
	}
	return c
}

// limit sets the diff, or the first lines of a long one.
func (c *Change) limit(diff string, limit int) {
	if len(diff) > limit {
		diff = cutLines(diff, limit)
		c.DiffOmitted = "the rest of it: it is too long"
	}
	c.Diff = diff
}

package undo

import (
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// isText says whether a content can be shown as lines.
func isText(content []byte) bool {
	return utf8.Valid(content) && !strings.ContainsRune(string(content), 0)
}

// Unified is the difference of two texts in the unified format; empty: none.
func Unified(from, to string, before, after []byte) string {
	return udiff.Unified(from, to, string(before), string(after))
}

package config

import (
	"strings"
)

// fitsOnLine reports whether a value is written behind its key: single values,
// and lists of them.
func (n *node) fitsOnLine() bool {
	if n.kind == mappingNode {
		return len(n.entries) == 0
	}
	for _, item := range n.items {
		if item.kind != scalarNode {
			return false
		}
	}
	return true
}

// inline is a value on one line. quote is the quote character that stood there: it
// is kept for text.
func (n *node) inline(quote byte) string {
	switch n.kind {
	case mappingNode:
		parts := make([]string, len(n.entries))
		for i, en := range n.entries {
			parts[i] = yamlText(en.key) + ": " + en.value.inline(0)
		}
		return flowMapping(parts)
	case sequenceNode:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.inline(0)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nullNode:
		return "null"
	}
	switch {
	case n.style == plain:
		if n.isText() {
			return yamlText(n.text)
		}
		return n.text
	case quote == '\'' && !strings.ContainsFunc(n.text, isControl):
		return "'" + strings.ReplaceAll(n.text, "'", "''") + "'"
	case quote == '"':
		return doubleQuoted(n.text)
	default:
		return yamlText(n.text)
	}
}

func isControl(r rune) bool {
	return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

// block is a value over lines, each with its indentation.
func (n *node) block(depth int) []string {
	indent := strings.Repeat(" ", depth)
	if n.kind == scalarNode || n.kind == nullNode || len(n.entries) == 0 && len(n.items) == 0 {
		return []string{indent + n.inline(0)}
	}
	var lines []string
	for _, en := range n.entries {
		key := indent + yamlText(en.key) + ":"
		switch {
		case en.value.fitsLiteral():
			literal := en.value.literal(depth + 2)
			lines = append(append(lines, key+" "+literal[0]), literal[1:]...)
		case en.value.fitsOnLine():
			lines = append(lines, key+" "+en.value.inline(0))
		default:
			lines = append(append(lines, key), en.value.block(depth+2)...)
		}
	}
	for _, item := range n.items {
		inner := item.block(depth + 2)
		inner[0] = indent + "- " + strings.TrimLeft(inner[0], " ")
		lines = append(lines, inner...)
	}
	return lines
}

// fitsLiteral reports whether a text of several lines can be written as |.
func (n *node) fitsLiteral() bool {
	if n.kind != scalarNode || n.style == plain || !strings.Contains(strings.TrimRight(n.text, "\n"), "\n") {
		return false
	}
	if strings.HasPrefix(n.text, " ") || strings.HasPrefix(n.text, "\n") || strings.HasSuffix(n.text, "\n\n") {
		return false
	}
	for line := range strings.SplitSeq(n.text, "\n") {
		if strings.ContainsFunc(line, isControl) || strings.HasSuffix(line, " ") {
			return false
		}
	}
	return true
}

// literal is a text in the form of |; the first line is the mark, the others are indented.
func (n *node) literal(depth int) []string {
	lines := []string{"|-"}
	text := n.text
	if strings.HasSuffix(text, "\n") {
		lines[0], text = "|", strings.TrimSuffix(text, "\n")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			line = strings.Repeat(" ", depth) + line
		}
		lines = append(lines, line)
	}
	return lines
}

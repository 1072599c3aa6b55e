package llm

import (
	"fmt"
	"unicode/utf8"

	"nanoclaw/internal/jsontree"
)

// Shorten returns a text of about limit bytes at most: its head and its tail, and
// between them how much was cut. JSON stays JSON where its long strings and lists
// are what makes it long. A text that is not longer than the limit is returned as it is.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if short, ok := shortenJSON(text, limit); ok && len(short) <= limit+limit/2 {
		return short
	}
	return cutMiddle(text, limit)
}

// cutMiddle keeps two thirds of the limit from the head and one third from the tail.
func cutMiddle(text string, limit int) string {
	head, tail := limit*2/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	marker := fmt.Sprintf("\n[… %d of %d bytes were cut here to fit the context window …]\n", tail-head, len(text))
	if head+len(text)-tail+len(marker) >= len(text) {
		return text
	}
	return text[:head] + marker + text[tail:]
}

// shortenJSON shortens the strings and lists inside a JSON object or array, more
// and more, until the whole is short enough.
func shortenJSON(text string, limit int) (string, bool) {
	if text[0] != '{' && text[0] != '[' {
		return "", false
	}
	tree, err := jsontree.Parse([]byte(text))
	if err != nil {
		return "", false
	}
	for share := limit; share >= 40; share /= 2 {
		if short := shortenTree(tree, share).Append(nil); len(short) <= limit {
			return string(short), true
		}
	}
	return "", false
}

// shortenTree returns a copy with strings of share bytes and lists of share/40
// elements at most.
func shortenTree(n *jsontree.Node, share int) *jsontree.Node {
	short := *n
	if n.Kind == jsontree.Text && len(n.Text) > share {
		short.Text = cutMiddle(n.Text, share)
	}
	short.Items = make([]*jsontree.Node, 0, len(n.Items))
	keep := max(share/40, 2)
	head, tail := keep*2/3, len(n.Items)-keep/3
	for i, item := range n.Items {
		switch {
		case n.Kind == jsontree.Object || len(n.Items) <= keep+1 || i < head || i >= tail:
			short.Items = append(short.Items, shortenTree(item, share))
		case i == head:
			short.Items = append(short.Items, &jsontree.Node{Kind: jsontree.Text, Text: fmt.Sprintf(
				"[… %d of %d elements were cut here to fit the context window …]", tail-head, len(n.Items))})
		}
	}
	return &short
}

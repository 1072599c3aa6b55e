package builtin

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// text is the main content, a line for each block.
func (d *webDocument) text() string { return visibleText(d.main()) }

// invisible elements hold no text for readers.
var invisible = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "svg": true, "math": true, "head": true,
	"iframe": true, "object": true, "select": true, "textarea": true, "canvas": true, "video": true, "audio": true,
}

// blocks stand on lines of their own; of those with a 2 an empty line is before and behind.
var blocks = map[string]int{
	"p": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "ul": 2, "ol": 2, "dl": 2, "table": 2, "pre": 2,
	"blockquote": 2, "section": 2, "article": 2, "figure": 2, "hr": 2, "main": 2, "header": 2, "footer": 2,
	"div": 1, "li": 1, "tr": 1, "br": 1, "dt": 1, "dd": 1, "nav": 1, "aside": 1, "form": 1, "fieldset": 1,
	"address": 1, "figcaption": 1, "caption": 1, "details": 1, "summary": 1, "body": 1,
}

// textWriter lays text out in lines, with white space as a browser shows it.
type textWriter struct {
	out   strings.Builder
	lines int  // line breaks that are due before the next text
	space bool // a space is due
}

// visibleText is the text of a node and all below it as a reader sees it.
func visibleText(node *html.Node) string {
	var w textWriter
	w.node(node, false)
	return strings.TrimSpace(w.out.String())
}

func (w *textWriter) node(node *html.Node, preformatted bool) {
	switch node.Type {
	case html.TextNode:
		if preformatted {
			w.verbatim(node.Data)
		} else {
			w.words(node.Data)
		}
		return
	case html.ElementNode:
		if invisible[node.Data] || isHidden(node) {
			return
		}
	}
	gap := 0
	if node.Type == html.ElementNode {
		gap = blocks[node.Data]
		w.breakLine(gap)
		switch node.Data {
		case "li":
			w.words("- ")
		case "td", "th":
			if node.PrevSibling != nil && w.out.Len() > 0 {
				w.words(" \t")
			}
		case "pre":
			preformatted = true
		}
	}
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		w.node(child, preformatted)
	}
	w.breakLine(gap)
}

func isHidden(node *html.Node) bool {
	for _, attribute := range node.Attr {
		if attribute.Key == "hidden" || (attribute.Key == "aria-hidden" && attribute.Val == "true") {
			return true
		}
	}
	return false
}

func (w *textWriter) breakLine(lines int) {
	if lines > 0 {
		w.lines, w.space = max(w.lines, lines), false
	}
}

// words writes text with its white space joined.
func (w *textWriter) words(text string) {
	for text != "" {
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			w.flush()
			w.out.WriteString(text[:end])
		}
		rest := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
		if len(rest) < len(text)-end {
			w.space = w.lines == 0 && w.out.Len() > 0
		}
		text = rest
	}
}

func (w *textWriter) verbatim(text string) {
	if text == "" {
		return
	}
	w.flush()
	w.out.WriteString(text)
}

// flush writes what is due before the next text.
func (w *textWriter) flush() {
	switch {
	case w.out.Len() == 0:
	case w.lines > 0:
		w.out.WriteString(strings.Repeat("\n", w.lines))
	case w.space:
		w.out.WriteByte(' ')
	}
	w.lines, w.space = 0, false
}

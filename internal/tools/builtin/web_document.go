package builtin

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	readability "github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
)

// webDocument is a parsed page.
type webDocument struct {
	query *goquery.Document
	base  *url.URL // what relative addresses start from
	page  *url.URL
	flat  bool // nested too deeply to be parsed: one text without structure
	deep  bool // nested too deeply for a search for its main content

	article *readability.Article // of main, once it was asked for
}

const (
	// maxElements is the greatest page whose main content is searched for; a
	// greater one is taken whole. The search takes some 100 ms at this size.
	maxElements = 20_000
	// maxDeep is how many elements may stand in each other in a page whose main
	// content is searched for: the search looks at each from all that are around it.
	maxDeep = 100
	// mainMinimum is the length of a main content that is believed without a
	// look at the rest, bytes; a shorter one must be a good part of the page.
	mainMinimum = 500
	mainShare   = 4 // a fourth
)

// parseDocument never fails: HTML has a meaning for every text.
func parseDocument(text string, page *url.URL) *webDocument {
	doc := &webDocument{base: page, page: page}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil { // more than 512 elements deep
		root, doc.flat = flatDocument(text), true
	}
	doc.deep = deeperThan(root, maxDeep)
	doc.query = goquery.NewDocumentFromNode(root)
	if href, ok := doc.query.Find("base[href]").First().Attr("href"); ok {
		if base, err := page.Parse(strings.TrimSpace(href)); err == nil && base.Host != "" {
			doc.base = base
		}
	}
	return doc
}

// flatDocument is the text between the tags of a page that cannot be parsed.
func flatDocument(text string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	body := &html.Node{Type: html.ElementNode, Data: "body"}
	root.AppendChild(body)
	tokens := html.NewTokenizer(strings.NewReader(text))
	var skipped string
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return root
		case html.StartTagToken:
			if name, _ := tokens.TagName(); skipped == "" && invisible[string(name)] {
				skipped = string(name)
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); skipped == string(name) {
				skipped = ""
			}
		case html.TextToken:
			if piece := strings.TrimSpace(string(tokens.Text())); skipped == "" && piece != "" {
				body.AppendChild(&html.Node{Type: html.TextNode, Data: html.UnescapeString(piece) + " "})
			}
		}
	}
}

// flatText is all the text of a page, in time that grows with its length alone.
func flatText(text string) string { return visibleText(flatDocument(text)) }

// deeperThan says whether a node has more levels below it.
func deeperThan(node *html.Node, levels int) bool {
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		if levels == 0 || deeperThan(child, levels-1) {
			return true
		}
	}
	return false
}

// main is the part of the page that it is about, or the whole body where that
// cannot be told.
func (d *webDocument) main() *html.Node {
	body := d.body()
	article := d.readArticle()
	if d.flat || article.Node == nil {
		return body
	}
	found := len(visibleText(article.Node))
	if found >= mainMinimum || found*mainShare >= len(visibleText(body)) {
		return article.Node
	}
	return body
}

// readArticle runs the readability library once. Its zero value stands for a
// page that it cannot read.
func (d *webDocument) readArticle() (article readability.Article) {
	if d.article != nil {
		return *d.article
	}
	d.article = &readability.Article{}
	if d.flat || d.deep {
		return *d.article
	}
	defer func() {
		if p := recover(); p != nil { // a library's mistake must not cost the page
			article = *d.article
		}
	}()
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	if read, err := parser.ParseDocument(d.query.Nodes[0], d.base); err == nil {
		*d.article = read
	}
	return *d.article
}

func (d *webDocument) body() *html.Node {
	if body := d.query.Find("body"); body.Length() > 0 {
		return body.Nodes[0]
	}
	return d.query.Nodes[0]
}

// title is the page's own name for itself.
func (d *webDocument) title() string {
	return cutAtRune(oneLine(firstOf(
		d.query.Find("head title").First().Text(), d.query.Find("title").First().Text(),
		d.meta("property", "og:title"), d.query.Find("h1").First().Text())), 1000)
}

// meta is the content of a <meta> element, found without regard to case.
func (d *webDocument) meta(attribute, name string) string {
	content := ""
	d.query.Find(fmt.Sprintf("meta[%s]", attribute)).EachWithBreak(func(_ int, s *goquery.Selection) bool {
		if value, _ := s.Attr(attribute); strings.EqualFold(strings.TrimSpace(value), name) {
			content = strings.TrimSpace(s.AttrOr("content", ""))
		}
		return content == ""
	})
	return content
}

// firstOf is the first text that is not blank.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// oneLine joins all white space to single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

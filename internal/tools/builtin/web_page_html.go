package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Bounds of a document that is parsed, whose tree takes a hundred times its text.
const (
	maxHTML = 4 << 20 // bytes
	maxTags = 100_000
)

// boundHTML is the beginning of a document that is within the bounds.
func boundHTML(text string) string {
	text = cutAtRune(text, maxHTML)
	tags := 0
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return text
		}
		if tags++; tags > maxTags {
			return text[:at+next]
		}
		at += next + 1
	}
}

// pageTime is how long the understanding of one page may take.
const pageTime = 5 * time.Second

// pageHelper understands pages. The HTML that browsers take turns a small text
// into an endless tree (each <p> opens all the <font>s again that the one before
// closed), and the search for the main content takes what time it likes.
var pageHelper = &helper{name: "page", memory: 1 << 30, stack: 64 << 20, answer: 16 * maxWebText, work: answerPage}

// pageTask is what the helper process is given. It answers a webPage.
type pageTask struct {
	Text        string `json:"text"` // within the bounds
	Base        string `json:"base"` // URL of the page
	ExtractType string `json:"extract_type"`
}

// answerPage is called in the helper process alone.
func answerPage(in []byte) (any, error) {
	var task pageTask
	if err := json.Unmarshal(in, &task); err != nil {
		return nil, fmt.Errorf("read the task: %w", err)
	}
	base, err := url.Parse(task.Base)
	if err != nil {
		return nil, fmt.Errorf("read the page's address: %w", err)
	}
	page := &webPage{}
	page.understand(task.Text, base, task.ExtractType)
	return page, nil
}

// fromHTML fills the page, whose URL is known, from a document. One that cannot
// be understood within the bounds is all its text. Errors: that of ctx, or one of
// this server.
func (p *webPage) fromHTML(ctx context.Context, text, extractType string) error {
	bounded := boundHTML(text)
	task, err := json.Marshal(pageTask{Text: bounded, Base: p.URL, ExtractType: extractType})
	if err != nil {
		return fmt.Errorf("hand the page over: %w", err)
	}
	var read webPage
	err = pageHelper.run(ctx, task, pageTime, &read)
	switch {
	case errors.Is(err, errHelperTime), errors.Is(err, errHelperDied):
		read = webPage{Note: "the page is too complex to be understood: this is all its text"}
		if all := flatText(bounded); extractType == "structured" {
			read.Text = cutAtRune(all, maxWebText)
			read.Truncated = len(read.Text) < len(all)
		} else {
			read.setContent(all)
		}
	case err != nil:
		return fmt.Errorf("understand the page: %w", err)
	}
	read.URL, read.Status, read.ContentType = p.URL, p.Status, p.ContentType
	read.Truncated = read.Truncated || p.Truncated || len(bounded) < len(text)
	*p = read
	return nil
}

// understand fills the page from a document within the bounds.
func (p *webPage) understand(text string, base *url.URL, extractType string) {
	doc := parseDocument(text, base)
	p.Title = doc.title()
	switch extractType {
	case "links":
		p.Links, p.TotalLinks = doc.links()
	case "markdown":
		p.setContent(doc.markdown())
	case "structured":
		p.webStructure = doc.structure()
		p.Links, p.TotalLinks = doc.links()
		text := doc.text()
		p.Text = cutAtRune(text, maxWebText)
		p.Truncated = p.Truncated || len(p.Text) < len(text)
	default:
		p.setContent(doc.text())
	}
	if doc.flat {
		p.Note = "the page is nested too deeply to be understood: this is all its text"
	}
}

package builtin

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"nanoclaw/internal/netsafe"
)

// webPage is what is taken from a page. Which fields are set depends on the
// extract type and on what the page is.
type webPage struct {
	URL         string `json:"url"` // after redirects
	Status      int    `json:"status"`
	ContentType string `json:"content_type"`
	Title       string `json:"title,omitempty"`
	Content     string `json:"content,omitempty"` // text and markdown; JSON, plain text and PDF whatever was asked for

	Links      []webLink `json:"links,omitempty"`
	TotalLinks int       `json:"total_links,omitempty"`
	webStructure

	Truncated bool   `json:"truncated"`
	Note      string `json:"note,omitempty"`
}

// webStructure is what extract_type structured adds.
type webStructure struct {
	Description string            `json:"description,omitempty"`
	Author      string            `json:"author,omitempty"`
	Published   string            `json:"published,omitempty"` // as the page writes it
	SiteName    string            `json:"site_name,omitempty"`
	Language    string            `json:"language,omitempty"`
	Text        string            `json:"text,omitempty"`
	OpenGraph   map[string]string `json:"open_graph,omitempty"` // without "og:"
	JSONLD      []any             `json:"json_ld,omitempty"`
}

// maxWebText bounds the text that is taken from one page, bytes. The executor
// cuts what the model sees further.
const maxWebText = 1 << 20

// page fetches one page and takes from it what was asked for.
func (c *webClient) page(ctx context.Context, address, extractType string) (*webPage, error) {
	u, err := netsafe.ParseURL(address)
	if err != nil {
		return nil, err
	}
	u.Fragment = ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Accept",
		"text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,application/pdf;q=0.7,*/*;q=0.5")
	req.Header.Set("Accept-Language", "en,zh;q=0.9,*;q=0.5")
	answer, err := c.do(ctx, req, readable)
	if err != nil {
		return nil, err
	}
	if answer.Status < 200 || answer.Status > 299 {
		return nil, statusError(answer.URL.Host, answer.Status)
	}
	return answer.extract(ctx, extractType)
}

// extract takes from the answer what was asked for.
func (a *webAnswer) extract(ctx context.Context, extractType string) (*webPage, error) {
	if a.MediaType == "" || a.MediaType == "application/octet-stream" {
		a.MediaType, _, _ = strings.Cut(http.DetectContentType(a.Body), ";")
	}
	page := &webPage{URL: a.URL.String(), Status: a.Status, ContentType: a.MediaType, Truncated: a.Truncated}
	switch kind := kindOf(a.MediaType); {
	case a.Skipped, kind == webBinary:
		page.Note = a.describe()
	case kind == webHTML:
		return page, page.fromHTML(ctx, decodeWebText(a.Body, a.ContentType, true), extractType)
	case kind == webPDF:
		return page, page.fromPDF(ctx, a)
	default:
		page.setContent(decodeWebText(a.Body, a.ContentType, false))
	}
	return page, nil
}

// describe says what a file is that has no text to take.
func (a *webAnswer) describe() string {
	size := "of unknown size"
	switch {
	case a.Size >= 0:
		size = fmt.Sprintf("of %d bytes", a.Size)
	case !a.Skipped && !a.Truncated:
		size = fmt.Sprintf("of %d bytes", len(a.Body))
	}
	return fmt.Sprintf("it is a file of the type %s, %s: there is no text to take from it", a.MediaType, size)
}

func (p *webPage) setContent(text string) {
	cut := cutAtRune(text, maxWebText)
	p.Content, p.Truncated = cut, p.Truncated || len(cut) < len(text)
}

// cutAtRune is text, at most limit bytes of it, in whole characters.
func cutAtRune(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return string(withoutCutRune([]byte(text[:limit])))
}

package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// duckduckgo is the search page for browsers without scripts. It needs no key,
// but it has no promised form either, and asks for a captcha (with status 202)
// when it is asked often.
var duckduckgo = searchProvider{
	home: "https://html.duckduckgo.com",
	path: "/html/",
	request: func(ctx context.Context, address *url.URL, _, query string, _ int) (*http.Request, error) {
		address.RawQuery = url.Values{"q": {query}}.Encode()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "text/html")
		return req, nil
	},
	read: readDuckduckgo,
}

// duckduckgoHelper reads the page in a process of its own, as pageHelper does.
var duckduckgoHelper = &helper{name: "duckduckgo", memory: 512 << 20, stack: 64 << 20, answer: 4 << 20,
	work: func(in []byte) (any, error) { return parseDuckduckgo(in) }}

// duckduckgoPage is what the page of results says.
type duckduckgoPage struct {
	Captcha bool        `json:"captcha"`
	Nothing bool        `json:"nothing"` // it says that there are no results
	Hits    []searchHit `json:"hits"`
}

func readDuckduckgo(ctx context.Context, status int, body []byte) ([]searchHit, error) {
	var page duckduckgoPage
	err := duckduckgoHelper.run(ctx, []byte(boundHTML(string(body))), pageTime, &page)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case status == http.StatusAccepted, page.Captcha:
		return nil, errors.New("asks for a captcha, which it does after too many searches")
	case status != http.StatusOK:
		return nil, searchStatus(status, "")
	case err != nil, len(page.Hits) == 0 && !page.Nothing:
		return nil, errors.New("its page is not understood: it has perhaps changed")
	}
	return page.Hits, nil
}

// parseDuckduckgo is called in the helper process alone.
func parseDuckduckgo(body []byte) (*duckduckgoPage, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("read the page of results: %w", err)
	}
	page := &duckduckgoPage{
		Captcha: doc.Find(".anomaly-modal__modal, #challenge-form").Length() > 0,
		Nothing: doc.Find(".no-results").Length() > 0,
	}
	doc.Find(".result").Not(".result--ad").Each(func(_ int, s *goquery.Selection) {
		link := s.Find("a.result__a").First()
		if address := duckduckgoTarget(link.AttrOr("href", "")); address != "" {
			page.Hits = append(page.Hits, searchHit{Title: link.Text(), URL: address,
				Snippet: s.Find(".result__snippet").First().Text()})
		}
	})
	return page, nil
}

// duckduckgoTarget takes the address out of the redirect that a link goes
// through; "" for advertisements.
func duckduckgoTarget(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	ofItself := u.Host == "" || u.Host == "duckduckgo.com" || strings.HasSuffix(u.Host, ".duckduckgo.com")
	switch {
	case ofItself && strings.HasPrefix(u.Path, "/l/"):
		return u.Query().Get("uddg")
	case ofItself:
		return ""
	}
	return href
}

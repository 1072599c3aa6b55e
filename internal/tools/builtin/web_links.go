package builtin

import (
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

type webLink struct {
	URL  string `json:"url"` // absolute, without a fragment
	Text string `json:"text,omitempty"`
}

// maxLinks is how many links of a page are returned.
const maxLinks = 50

// links are the pages that this one leads to, each once, in the page's order,
// and how many there are in all.
func (d *webDocument) links() ([]webLink, int) {
	links, seen := []webLink{}, map[string]int{}
	own := *d.page
	own.Fragment = ""
	total := 0
	d.query.Find("a[href], area[href]").Each(func(_ int, s *goquery.Selection) {
		address := d.absolute(s.AttrOr("href", ""))
		if address == "" || address == own.String() {
			return
		}
		text := cutAtRune(oneLine(firstOf(s.Text(), s.AttrOr("title", ""), s.AttrOr("aria-label", ""),
			s.Find("img[alt]").AttrOr("alt", ""))), 200)
		if at, known := seen[address]; known {
			if at < len(links) && links[at].Text == "" {
				links[at].Text = text
			}
			return
		}
		seen[address] = total
		if total++; total <= maxLinks {
			links = append(links, webLink{URL: address, Text: text})
		}
	})
	return links, total
}

// absolute resolves an address of the page; "" for what is no page.
func (d *webDocument) absolute(href string) string {
	u, err := d.base.Parse(strings.TrimSpace(href))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	u.Host = strings.ToLower(u.Host)
	return withoutDefaultPort(u).String()
}

func withoutDefaultPort(u *url.URL) *url.URL {
	if (u.Scheme == "http" && u.Port() == "80") || (u.Scheme == "https" && u.Port() == "443") {
		u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, ":80"), ":443")
	}
	return u
}

package builtin

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

const (
	maxOpenGraph = 50       // properties
	maxMeta      = 2000     // bytes of one value
	maxJSONLD    = 32 << 10 // bytes of all blocks together
)

// structure is what the page says about itself.
func (d *webDocument) structure() webStructure {
	graph, linked := d.openGraph(), d.jsonLD()
	article := d.readArticle()
	published := ""
	if article.PublishedTime != nil {
		published = article.PublishedTime.Format("2006-01-02T15:04:05Z07:00")
	}
	return webStructure{
		Description: metaValue(firstOf(d.meta("name", "description"), graph["description"],
			linkedText(linked, "description"), article.Excerpt)),
		Author: metaValue(firstOf(d.meta("name", "author"), linkedText(linked, "author"),
			d.meta("property", "article:author"), article.Byline)),
		Published: metaValue(firstOf(d.meta("property", "article:published_time"), linkedText(linked, "datePublished"),
			d.meta("itemprop", "datePublished"), d.meta("name", "date"), d.meta("name", "pubdate"), published,
			d.query.Find("time[datetime]").First().AttrOr("datetime", ""))),
		SiteName:  metaValue(firstOf(graph["site_name"], article.SiteName)),
		Language:  metaValue(d.query.Find("html").AttrOr("lang", "")),
		OpenGraph: graph,
		JSONLD:    linked,
	}
}

func metaValue(text string) string { return cutAtRune(oneLine(text), maxMeta) }

// openGraph collects <meta property="og:…">; the first of a name counts.
func (d *webDocument) openGraph() map[string]string {
	graph := map[string]string{}
	d.query.Find("meta[property]").Each(func(_ int, s *goquery.Selection) {
		name, isGraph := strings.CutPrefix(strings.ToLower(strings.TrimSpace(s.AttrOr("property", ""))), "og:")
		if _, known := graph[name]; isGraph && !known && name != "" && len(name) <= 100 && len(graph) < maxOpenGraph {
			graph[name] = metaValue(s.AttrOr("content", ""))
		}
	})
	return graph
}

// jsonLD collects the blocks of linked data that are valid JSON.
func (d *webDocument) jsonLD() []any {
	var blocks []any
	room := maxJSONLD
	d.query.Find(`script[type="application/ld+json"]`).Each(func(_ int, s *goquery.Selection) {
		text := []byte(s.Text())
		if len(text) > room || tooDeepAt(string(text)) >= 0 {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var block any
		if decoder.Decode(&block) != nil {
			return
		}
		room -= len(text)
		if list, isList := block.([]any); isList {
			blocks = append(blocks, list...)
			return
		}
		blocks = append(blocks, block)
	})
	return blocks
}

// linkedText finds a property in linked data: a text, or the name of what it describes.
func linkedText(blocks []any, property string) string {
	for _, block := range blocks {
		object, ok := block.(map[string]any)
		if !ok {
			continue
		}
		if text := nameIn(object[property]); text != "" {
			return text
		}
		if graph, ok := object["@graph"].([]any); ok {
			if text := linkedText(graph, property); text != "" {
				return text
			}
		}
	}
	return ""
}

func nameIn(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case map[string]any:
		name, _ := value["name"].(string)
		return name
	case []any:
		var names []string
		for _, item := range value {
			if name := nameIn(item); name != "" {
				names = append(names, name)
			}
		}
		return strings.Join(names, ", ")
	}
	return ""
}

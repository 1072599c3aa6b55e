package builtin

import (
	"net/url"
	"strings"
	"testing"
)

// BenchmarkPage is the way over the helper process, of a small page.
func BenchmarkPage(b *testing.B) {
	for b.Loop() {
		page := &webPage{URL: "https://example.com/"}
		if err := page.fromHTML(b.Context(), "<h1>x</h1><p>hello", "text"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLargePage extracts the main content of the greatest page whose main
// content is searched for, and of ones that are too large.
func BenchmarkLargePage(b *testing.B) {
	base, err := url.Parse("https://example.com/")
	if err != nil {
		b.Fatal(err)
	}
	paragraph := "<div class=x><p>The keeper of the lighthouse climbed the stairs, every evening, and <a " +
		"href=/a>lit</a> the lamp.</p></div>"
	for name, text := range map[string]string{
		"20000 elements": strings.Repeat(paragraph, 6600),
		"10 MiB":         strings.Repeat(paragraph, 10<<20/len(paragraph)),
		"10 MiB of tags": strings.Repeat("<p>", 10<<20/3),
		"deep":           strings.Repeat(strings.Repeat("<div>", 400)+"x"+strings.Repeat("</div>", 400), 40),
	} {
		for _, kind := range []string{"text", "markdown", "structured"} {
			b.Run(name+" "+kind, func(b *testing.B) {
				for b.Loop() {
					(&webPage{}).understand(boundHTML(text), base, kind)
				}
			})
		}
	}
}

package builtin

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"nanoclaw/internal/tools"
)

func article(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("testdata/article.html")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func page(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

// BT2
func TestThePartOfAPageThatItIsAboutIsExtracted(t *testing.T) {
	t.Parallel()
	site := serve(t, page("text/html; charset=utf-8", article(t)))
	call := webCall(allowed(site))
	text, failure := execute(t, call, "fetch_page", map[string]any{"url": site.URL + "/story"})
	if failure != "" {
		t.Fatal(failure)
	}
	content := text["content"].(string)
	for _, want := range []string{"The old lighthouse keeper climbed the stairs", "- oil for the lamp\n- a clean cloth",
		"\n\nThe storm", "caf\u00e9"} {
		if !strings.Contains(content, want) {
			t.Errorf("the text has no %q:\n%s", want, content)
		}
	}
	for _, not := range []string{"Subscribe", "Cookie", "alert(", "color: red", "Copyright", "<p>"} {
		if strings.Contains(content, not) {
			t.Errorf("the text has %q:\n%s", not, content)
		}
	}
	if text["title"] != "The Lighthouse | Coast News" || text["status"] != 200.0 || text["truncated"] != false ||
		text["url"] != site.URL+"/story" {
		t.Errorf("%v", text)
	}

	markdown, failure := execute(t, call, "fetch_page", map[string]any{"url": site.URL + "/story",
		"extract_type": "markdown"})
	if failure != "" {
		t.Fatal(failure)
	}
	content = markdown["content"].(string)
	for _, want := range []string{"## The storm", "- oil for the lamp", "[harbour](" + site.URL + "/harbour?x=1#quay)",
		"| Year | Ships |", "`lamp.on()`", "**very**"} {
		if !strings.Contains(content, want) {
			t.Errorf("the markdown has no %q:\n%s", want, content)
		}
	}
}

// BT2
func TestLinksAreAbsoluteAndUnique(t *testing.T) {
	t.Parallel()
	body := `<base href="/sub/"><a href="a#x">A</a> <a href="a">again</a> <a href="//Other.example:80/">other</a> <a href="javascript:alert(1)">no</a>
		<a href="mailto:x@y.z">no</a> <a href="https://u:p@third.example/p?q=1#f"><img alt="third"></a> <a href="">self</a> <a href="http://[broken">no</a> <a>none</a>`
	for i := range 60 {
		body += fmt.Sprintf(`<a href="/n/%d">n%d</a>`, i, i)
	}
	site := serve(t, page("text/html", body))
	data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL,
		"extract_type": "links"})
	if failure != "" {
		t.Fatal(failure)
	}
	links := data["links"].([]any)
	var got []string
	for _, link := range links[:4] {
		got = append(got, strings.Replace(fmt.Sprint(link.(map[string]any)["url"], " ", link.(map[string]any)["text"]),
			site.URL, "", 1))
	}
	want := []string{"/sub/a A", "http://other.example/ other", "https://third.example/p?q=1 third", "/sub/ self"}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(links) != 50 || data["total_links"] != 64.0 {
		t.Errorf("%q, %d of %v", got, len(links), data["total_links"])
	}
}

// BT2
func TestWhatAPageSaysAboutItselfIsStructured(t *testing.T) {
	t.Parallel()
	site := serve(t, page("text/html; charset=utf-8", article(t)))
	data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL + "/story",
		"extract_type": "structured"})
	if failure != "" {
		t.Fatal(failure)
	}
	for field, want := range map[string]any{
		"title": "The Lighthouse | Coast News", "description": "A story about light.", "author": "Ada Keeper, Ben Lamp",
		"published": "2024-03-01T08:00:00Z", "language": "en", "site_name": "Coast News",
	} {
		if data[field] != want {
			t.Errorf("%s is %v, want %v", field, data[field], want)
		}
	}
	graph := data["open_graph"].(map[string]any)
	linked := data["json_ld"].([]any)
	if graph["title"] != "The Lighthouse" || graph["image"] != "https://coast.example/l.jpg" || len(linked) != 1 ||
		linked[0].(map[string]any)["@type"] != "NewsArticle" {
		t.Errorf("%v, %v", graph, linked)
	}
	if !strings.Contains(data["text"].(string), "lighthouse keeper") || len(data["links"].([]any)) < 2 {
		t.Errorf("%v, %v", data["text"], data["links"])
	}
}

const chinese = "灯塔的守护人每天晚上都要登上高高的石阶，点亮那盏照亮海面的大灯。许多年来，来往的船只都靠着它的光找到回家的路。"

// BT2: charset by header, by the page, and by detection.
func TestEveryCharsetBecomesReadable(t *testing.T) {
	t.Parallel()
	html := func(head, text string) string {
		return "<html><head>" + head + "<title>t</title></head><body><p>" + text + "</p></body></html>"
	}
	japaneseText := "灯台守は毎晩、石の階段を登って海を照らす大きな灯りをともします。長い年月、船はその光を頼りに港へ帰りました。"
	traditional := "燈塔的守護人每天晚上都要登上高高的石階，點亮那盞照亮海面的大燈。許多年來，來往的船隻都靠著它的光找到回家的路。"
	for name, c := range map[string]struct {
		set         encoding.Encoding
		contentType string
		head        string
		text        string
	}{
		"GBK by header":    {simplifiedchinese.GBK, "text/html; charset=GBK", "", chinese},
		"gb2312 by header": {simplifiedchinese.GBK, "text/html;charset=gb2312", "", chinese},
		"GBK by meta":      {simplifiedchinese.GBK, "text/html", `<meta charset="gbk">`, chinese},
		"GBK by http-equiv": {simplifiedchinese.GBK, "text/html",
			`<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=gb2312">`, chinese},
		"GBK by detection":     {simplifiedchinese.GBK, "text/html", "", chinese},
		"GBK that says UTF-8":  {simplifiedchinese.GBK, "text/html; charset=utf-8", "", chinese},
		"GB18030 by header":    {simplifiedchinese.GB18030, "text/html; charset=gb18030", "", chinese + "𠀀"},
		"Big5 by detection":    {traditionalchinese.Big5, "text/html", "", traditional},
		"Shift-JIS by meta":    {japanese.ShiftJIS, "text/html", `<meta charset=Shift_JIS>`, japaneseText},
		"EUC-JP by header":     {japanese.EUCJP, `text/html; charset="euc-jp"`, "", japaneseText},
		"UTF-8 without a word": {encoding.Nop, "text/html", "", chinese},
		"UTF-16 by its mark":   {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "text/html", "", chinese},
		"a broken charset":     {encoding.Nop, "text/html; charset=klingon", "", chinese},
		"a header that contradicts": {simplifiedchinese.GBK, "text/html; charset=gbk", `<meta charset="utf-8">`,
			chinese},
		"plain text": {simplifiedchinese.GBK, "text/plain", "", chinese},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoded, err := c.set.NewEncoder().Bytes([]byte(html(c.head, c.text)))
			if err != nil {
				t.Fatal(err)
			}
			site := serve(t, page(c.contentType, string(encoded)))
			data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL})
			if failure != "" || !strings.Contains(fmt.Sprint(data["content"]), c.text) {
				t.Errorf("%s %v", failure, data["content"])
			}
		})
	}
}

// BT2
func TestARedirectToAHostThatIsNotAllowedIsRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	inner := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	outer := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/in":
			http.Redirect(w, r, inner.URL, http.StatusMovedPermanently)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/3":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		default:
			page("text/plain", "end")(w, r)
		}
	})
	call := webCall(allowed(outer))
	if _, failure := execute(t, call, "fetch_page",
		map[string]any{"url": outer.URL + "/in"}); !strings.HasPrefix(failure, "blocked: 127.0.0.1") ||
		reached.Load() != 0 {
		t.Errorf("%s, reached %d times", failure, reached.Load())
	}
	if _, failure := execute(t, call, "fetch_page",
		map[string]any{"url": outer.URL + "/loop"}); !strings.Contains(failure, "5 redirects") {
		t.Errorf("a loop: %s", failure)
	}
	if data, failure := execute(t, call, "fetch_page", map[string]any{"url": outer.URL + "/3"}); failure != "" ||
		data["content"] != "end" || data["url"] != outer.URL+"/end" {
		t.Errorf("a redirect: %v, %s", data, failure)
	}
	for address, want := range map[string]string{
		inner.URL:                        "blocked: 127.0.0.1 is not reachable",
		"ftp://example.com":              "blocked: only http and https",
		"example.com":                    "blocked: the URL \"example.com\" has no scheme",
		"http://u:p@" + outer.URL[7:]:    "blocked: the URL",
		"http://169.254.169.254/latest/": "blocked: 169.254.169.254 is not reachable",
	} {
		if _, failure := execute(t, call, "fetch_page", map[string]any{"url": address}); !strings.HasPrefix(failure,
			want) {
			t.Errorf("%s: %s", address, failure)
		}
	}
}

// BT2: a small answer that unpacks to a large one is cut off.
func TestACompressedBombIsCutOff(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 200 {
		if _, err := packer.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	site := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL})
	if failure != "" || data["truncated"] != true || len(data["content"].(string)) > 1<<20 {
		t.Errorf("%s, truncated %v, %d bytes", failure, data["truncated"], len(fmt.Sprint(data["content"])))
	}
	odd := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write([]byte("??"))
	})
	if _, failure := execute(t, webCall(allowed(odd)), "fetch_page",
		map[string]any{"url": odd.URL}); !strings.Contains(failure, `compression "br"`) {
		t.Errorf("an unknown compression: %s", failure)
	}
}

// BT2
func TestOtherContentTypesAreAnsweredWithWhatTheyAre(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	for name, c := range map[string]struct {
		contentType, body string
		want              map[string]any
	}{
		"JSON": {"application/json", `{"a":[1,2]}`, map[string]any{"content": `{"a":[1,2]}`,
			"content_type": "application/json"}},
		"problem JSON": {"application/problem+json; x=y", `{}`, map[string]any{"content": `{}`}},
		"text":         {"text/csv", "a,b", map[string]any{"content": "a,b"}},
		"an image": {"image/png", png,
			map[string]any{"note": "it is a file of the type image/png, of 10 bytes: there is no text " +
				"to take from it"}},
		"an unnamed image": {"application/octet-stream", png, map[string]any{"content_type": "image/png",
			"note": "it is a file of the type image/png, of 10 bytes: there is no text to take from it"}},
		"unnamed HTML": {"application/octet-stream", "<!doctype html><title>T</title><p>hello",
			map[string]any{"title": "T", "content": "hello"}},
		"a broken type": {";;", "just text", map[string]any{"content": "just text", "content_type": "text/plain"}},
		"nothing":       {"text/html", "", map[string]any{"status": 200.0}},
		"XML": {"application/xml", `<?xml version="1.0"?><a>b</a>`,
			map[string]any{"content": `<?xml version="1.0"?><a>b</a>`}},
		"a PDF": {"application/pdf", string(tinyPDF("Hello from a PDF", "and (page) two")),
			map[string]any{"content": "Hello from a PDF\n\nand (page) two", "note": "text of a PDF with 2 pages"}},
		"a scanned PDF": {"application/pdf", string(tinyPDF("")),
			map[string]any{"note": "a PDF with 1 pages and no text in it: it is perhaps a scan"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := serve(t, page(c.contentType, c.body))
			data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL})
			for field, want := range c.want {
				if failure != "" || data[field] != want {
					t.Errorf("%s %s is %q, want %q", failure, field, data[field], want)
				}
			}
		})
	}
}

// BT2
func TestAFailingSiteIsAClearError(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/404":
			http.NotFound(w, r)
		case "/599":
			w.WriteHeader(599)
		case "/slow":
			<-block
		case "/torn":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("short"))
		case "/pdf":
			page("application/pdf", "%PDF-1.4 broken")(w, r)
		}
	})
	t.Cleanup(func() { close(block) })
	web := allowed(site)
	web.fetch.Timeout = 300 * time.Millisecond
	for path, want := range map[string]string{
		"/404":  "http_status: 127.0.0.1:",
		"/599":  "answered 599 (an unknown status)",
		"/slow": "did not answer completely within 300ms",
		"/torn": "unavailable: 127.0.0.1:",
		"/pdf":  "unavailable: the PDF cannot be read",
	} {
		if data, failure := execute(t, webCall(web), "fetch_page",
			map[string]any{"url": site.URL + path}); !strings.Contains(failure, want) {
			t.Errorf("%s: %q %v", path, failure, data)
		}
	}
	if _, failure := execute(t, webCall(web), "fetch_page", map[string]any{"url": ""}); !strings.HasPrefix(failure,
		"invalid_arguments") {
		t.Error(failure)
	}
}

// BT2: the first failure is answered while the page is deeper than a parser goes.
func TestPagesThatAreMadeToBreakParsersAreRead(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<div>", 5000) + "deep down" + strings.Repeat("</div>", 5000)
	many := &webPage{URL: "https://example.com/"}
	if err := many.fromHTML(t.Context(), strings.Repeat("<p>x", 300_000), "text"); err != nil {
		t.Fatal(err)
	}
	if !many.Truncated || strings.Count(many.Content, "x") != maxTags {
		t.Errorf("of too many tags %d are read", strings.Count(many.Content, "x"))
	}
	site := serve(t, page("text/html", "<script>no</script>"+deep))
	for _, kind := range []string{"text", "markdown", "links", "structured"} {
		data, failure := execute(t, webCall(allowed(site)), "fetch_page", map[string]any{"url": site.URL,
			"extract_type": kind})
		text := fmt.Sprint(data["content"], data["text"])
		if failure != "" || (kind != "links" && !strings.Contains(text, "deep down")) || strings.Contains(text,
			"no ") || data["note"] == nil {
			t.Errorf("%s: %s %v", kind, failure, data)
		}
	}
}

// BT2: a page is understood within bounds of time and memory, or is all its text.
func TestUnderstandingAPageIsBounded(t *testing.T) {
	t.Parallel()
	var fonts strings.Builder // all are opened again in each paragraph: 48 million elements
	for i := range 480 {
		fmt.Fprintf(&fonts, "<font a=%d>", i)
	}
	line := "<p>The keeper climbed the stairs, every evening, and lit the lamp, however late it was.</p>"
	for name, c := range map[string]struct{ text, content, note string }{
		"50,000 in each other":   {strings.Repeat("<div>", 50_000) + "x", "x", "nested too deeply"},
		"200,000 beside another": {"begin" + strings.Repeat("<div></div>", 200_000), "begin", ""},
		"an article too deep": {strings.Repeat("<div>", 150) + "<nav>menu</nav>" + strings.Repeat(line, 20),
			"menu\n\nThe keeper climbed", ""},
		"fonts without end": {"<p>begin" + fonts.String() + "</p>" + strings.Repeat("<p>x", 99_000), "begin x x",
			"too complex"},
	} {
		for _, kind := range []string{"text", "markdown", "structured"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				page := &webPage{URL: "https://example.com/a", Status: 200, ContentType: "text/html"}
				if err := page.fromHTML(t.Context(), c.text, kind); err != nil {
					t.Fatal(err)
				}
				if got := page.Content + page.Text; !strings.Contains(got, c.content) || len(got) > 2*maxWebText ||
					!strings.Contains(page.Note, c.note) || page.URL != "https://example.com/a" || page.Status != 200 {
					t.Errorf("%.100q, %s %s", got, page.Note, page.URL)
				}
			})
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := (&webPage{URL: "https://example.com/"}).fromHTML(stopped, "<p>x",
		"text"); tools.CodeOf(err) != tools.CodeCancelled {
		t.Errorf("cancelled: %v", err)
	}
}

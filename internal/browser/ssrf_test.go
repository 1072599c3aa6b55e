package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"nanoclaw/internal/tools"
)

// secrets is a server of the private network. It notes who reaches it: by a request, by
// a connection alone, as preconnect does, and by a datagram, as STUN does.
type secrets struct {
	*httptest.Server
	port string

	mu      sync.Mutex
	reached []string
}

func newSecrets(t *testing.T) *secrets {
	t.Helper()
	s := &secrets{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r.Method + " " + r.Host + r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "<p>TOP SECRET</p>")
	}))
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.note("connection of " + c.RemoteAddr().String())
		}
	}
	datagrams, err := net.ListenPacket("udp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Close)
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			_, from, err := datagrams.ReadFrom(make([]byte, 64))
			if err != nil {
				return // it was closed
			}
			s.note("datagram of " + from.String())
		}
	})
	t.Cleanup(func() {
		datagrams.Close()
		listening.Wait()
	})
	_, s.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return s
}

func (s *secrets) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached = append(s.reached, what)
}

func (s *secrets) untouched(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reached) > 0 {
		t.Errorf("a private server was reached: %q", s.reached)
	}
}

// loopback is a name server that says the machine itself of every name that ends in .rebind.test.
type loopback struct{}

func (loopback) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case host == "six.rebind.test":
		return []netip.Addr{netip.IPv6Loopback()}, nil
	case host == "mapped.rebind.test":
		return []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	case strings.HasSuffix(host, ".rebind.test") || host == "localhost":
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// SE5 MD1: op open refuses what fetch_page refuses, and what only a browser knows.
func TestPrivateAddressesCannotBeOpened(t *testing.T) {
	t.Parallel()
	w, private := newOwnWorld(t), newSecrets(t)
	w.change(func(s *Settings) { s.Network.Resolver = loopback{} })
	w.mux.HandleFunc("/away", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	for _, address := range []string{
		"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::1]:PORT/", "http://2130706433:PORT/",
		"http://0x7f.1:PORT/", "http://0177.0.0.1:PORT/", "http://127.1:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
		"http://0.0.0.0:PORT/", "http://a.rebind.test:PORT/", "https://a.rebind.test:PORT/",
		"http://0x7f000001:PORT/", "http://017700000001:PORT/", "http://0:PORT/", "http://127.0.0.1.:PORT/",
		"http://[::ffff:7f00:1]:PORT/", "http://[::]:PORT/", "http://[64:ff9b::7f00:1]:PORT/", "http://[fe80::1]:PORT/",
		"http://[fd00::1]:PORT/", "http://LOCALHOST.:PORT/", "http://a.localhost:PORT/", "http://①②⑦.0.0.1:PORT/",
		"http://127。0。0。1:PORT/", "http://%31%32%37.0.0.1:PORT/", "http://six.rebind.test:PORT/",
		"http://mapped.rebind.test:PORT/", "http:127.0.0.1:PORT/", "http:///127.0.0.1:PORT/",
		"FILE:///etc/passwd", "file://localhost/etc/passwd", "blob:http://127.0.0.1:PORT/x",
		"filesystem:http://127.0.0.1:PORT/temporary/x", "view-source:file:///etc/passwd", "chrome-untrusted://x",
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://user:pass@127.0.0.1:PORT/",
		"file:///etc/passwd", "chrome://version", "view-source:http://127.0.0.1:PORT/", "javascript:alert(1)",
		"ftp://127.0.0.1/", "data:text/html,x", "about:blank", "devtools://x", "ws://127.0.0.1:PORT/",
		"/away?to=http://127.0.0.1:PORT/", "/away?to=http://b.rebind.test:PORT/", "/away?to=https://127.0.0.1:PORT/",
	} {
		address = strings.ReplaceAll(address, "PORT", private.port)
		result, err := w.try(w.conversation, tools.BrowserAction{Op: "open", URL: address})
		if tools.CodeOf(err) != tools.CodeBlocked || strings.Contains(result.Snapshot, "SECRET") {
			t.Errorf("%s: %v (%s) %s", address, err, tools.CodeOf(err), result.Snapshot)
		}
	}
	private.untouched(t)
}

// attempts is a page that tries to reach a private server in every way that a page
// has, and says when it has ended.
const attempts = `<!doctype html><title>Attempts</title>
<link rel="prefetch" href="TARGET/prefetch"><link rel="preload" as="image" href="TARGET/preload">
<link rel="preconnect" href="TARGET"><link rel="dns-prefetch" href="TARGET"><link rel="stylesheet" href="TARGET/css">
<link rel="icon" href="TARGET/icon"><link rel="manifest" href="TARGET/manifest">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["TARGET/rules"]}],"prerender":[{"source":"list","urls":["TARGET/prerender"]}]}</script>
<img src="TARGET/img"><iframe src="TARGET/iframe"></iframe><video src="TARGET/video"></video>
<object data="TARGET/paper.pdf" type="application/pdf"></object><embed src="TARGET/embed.pdf" type="application/pdf">
<script src="TARGET/script"></script><iframe src="/away?to=TARGET/redirected"></iframe><img src="/away?to=TARGET/img2">
<div style="background:url(TARGET/background)">x</div><a id="ping" href="#x" ping="TARGET/ping">x</a>
<style>@import url("TARGET/import.css"); @font-face { font-family: far; src: url(TARGET/font) }
  .far { font-family: far; list-style-image: url(TARGET/bullet); cursor: url(TARGET/cursor), auto } .far::after { content: url(TARGET/after) }</style>
<ul class="far"><li>far</li></ul><link rel="modulepreload" href="TARGET/module"><link rel="prerender" href="TARGET/old-prerender">
<img srcset="TARGET/srcset 1x"><picture><source srcset="TARGET/source"><img></picture><audio src="TARGET/audio" preload="auto"></audio>
<video poster="TARGET/poster"><track default src="TARGET/track"></video><input type="image" src="TARGET/button">
<svg><image href="TARGET/svg-image"/><use href="TARGET/svg-use#x"/></svg>
<iframe srcdoc="<img src='TARGET/srcdoc-img'><script>fetch('TARGET/srcdoc-fetch', {mode: 'no-cors'})&lt;/script>"></iframe>
<iframe src="data:text/html,<img src='TARGET/data-img'><iframe src='TARGET/data-iframe'></iframe>"></iframe>
<iframe srcdoc="<meta http-equiv='refresh' content='0;url=TARGET/refresh'>"></iframe>
<iframe src="view-source:TARGET/source"></iframe><iframe src="file:///etc/passwd"></iframe>
<embed src="/NAME/own.pdf" type="application/pdf" width="300" height="300"><iframe src="/NAME/own.pdf"></iframe>
<form id="form" method="post" action="TARGET/form" target="hidden"><input name="a"></form><iframe name="hidden"></iframe>
<p id="out" role="status">trying</p>
<script>
const tries = [
  fetch('TARGET/fetch'), fetch('TARGET/opaque', {mode: 'no-cors'}).then(() => Promise.reject()), fetch('TARGET/post', {method: 'POST', body: 'x'}),
  fetch('/away?to=TARGET/fetched'),
  new Promise((_, no) => { const x = new XMLHttpRequest(); x.onerror = no; x.open('GET', 'TARGET/xhr'); x.send() }),
  new Promise((yes, no) => { const s = new WebSocket('SOCKET/socket'); s.onopen = yes; s.onerror = no }),
  new Promise((yes, no) => { const s = new EventSource('TARGET/events'); s.onmessage = yes; s.onerror = no }),
  new Promise((yes, no) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('TARGET/worker').then(() => postMessage(1), () => postMessage(0))"]))); w.onmessage = e => e.data ? yes() : no(); w.onerror = no }),
  navigator.serviceWorker.register('/NAME/worker.js').then(r => navigator.serviceWorker.ready).then(() => Promise.reject()),
  navigator.serviceWorker.register('/NAME/quiet.js').then(() => Promise.reject()), // the proxy's refusal is opaque to it
  fetch('TARGET/keepalive', {method: 'POST', keepalive: true, body: 'x'}), import('TARGET/module.js'),
  new Promise((yes, no) => { const s = new WebSocket('SOCKET/secure'.replace('ws:', 'wss:')); s.onopen = yes; s.onerror = no }),
  new Promise((yes, no) => { const f = new FontFace('y', 'url(TARGET/font-face)'); f.load().then(yes, no) }),
  window.WebTransport ? new WebTransport('TARGET/quic'.replace('http:', 'https:')).ready : Promise.reject(),
]
const blob = document.createElement('iframe')
blob.src = URL.createObjectURL(new Blob(["<img src='TARGET/blob-img'>"], {type: 'text/html'})); document.body.append(blob)
navigator.sendBeacon('TARGET/beacon', 'x')
ping.click()
form.submit()
const candidates = []
const rtc = new RTCPeerConnection({iceServers: [{urls: 'stun:RAW'}, {urls: 'turn:RAW?transport=tcp', username: 'a', credential: 'b'}]})
rtc.createDataChannel('x'); rtc.createOffer().then(o => rtc.setLocalDescription(o))
rtc.onicecandidate = e => e.candidate && candidates.push(e.candidate.candidate)
Promise.allSettled(tries).then(all => setTimeout(() => { out.textContent = 'Ended, ' + all.filter(x => x.status === 'fulfilled').length + ' reached (' + all.map((x, i) => x.status === 'fulfilled' ? i : '').join('') + '), ' + candidates.length + ' candidates' }, 1000))
</script>`

// SE5 MD1: nothing that a page does reaches a private address: neither what it loads
// nor its scripts, sockets, workers, beacons, forms and redirects.
func TestNothingOfAPageReachesThePrivateNetwork(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.change(func(s *Settings) { s.Network.Resolver = loopback{} })
	w.mux.HandleFunc("/away", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	for name, host := range map[string]string{"address": "127.0.0.1", "name": "c.rebind.test"} {
		private := newSecrets(t)
		target := "http://" + net.JoinHostPort(host, private.port)
		page := strings.NewReplacer("NAME", name, "TARGET", target, "SOCKET", "ws"+strings.TrimPrefix(target, "http"),
			"RAW", strings.TrimPrefix(target, "http://")).Replace(attempts)
		w.mux.HandleFunc("/"+name, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			rw.Header().Set("Link", "<"+target+"/header>; rel=preload; as=style, <"+target+">; rel=preconnect")
			rw.Header().Set("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri "+target+"/report")
			fmt.Fprint(rw, page)
		})
		w.mux.HandleFunc("/"+name+"/own.pdf", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(rw, strings.ReplaceAll(attemptsOfPDF, "TARGET", target))
		})
		w.mux.HandleFunc("/"+name+"/quiet.js", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(rw, `oninstall = e => e.waitUntil(fetch('%s/install', {mode: 'no-cors'}))`, target)
		})
		w.mux.HandleFunc("/"+name+"/leave", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, `<script>location = '%s/location'</script>`, target)
		})
		w.mux.HandleFunc("/"+name+"/worker.js", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(rw, `oninstall = e => e.waitUntil(fetch('%s/service').catch(() => 0)); importScripts('%s/import')`,
				target, target)
		})
		w.open("/" + name)
		shows(t, w.do(tools.BrowserAction{Op: "wait", Text: "Ended", Seconds: 30}), "Ended, 0 reached (), 0 candidates")
		if result, err := w.try(w.conversation, tools.BrowserAction{Op: "open", URL: "/" + name + "/leave"}); err == nil &&
			strings.Contains(result.Snapshot, "SECRET") || strings.HasPrefix(result.URL, target) && err == nil {
			t.Errorf("the page led to %s: %s", result.URL, result.Snapshot)
		}
		// Chromium shows a PDF or offers it as a download; both may not reach what it names.
		if result, err := w.try(w.conversation, tools.BrowserAction{Op: "open", URL: "/" + name + "/own.pdf"}); err == nil {
			// Its link covers the page, so that a click on the viewer follows it.
			_, err := w.try(w.conversation, tools.BrowserAction{Op: "click", Ref: ref(t, result, "Iframe")})
			if err != nil && tools.CodeOf(err) != tools.CodeBlocked {
				t.Errorf("the link of the PDF: %v", err)
			}
			shows(t, w.open("/shop.html"), "Lanterns")
		}
		private.untouched(t)
	}
}

// attemptsOfPDF is a paper that tries to reach a private server when it is opened: by
// actions, by a script and by an image whose data stand elsewhere.
const attemptsOfPDF = `%PDF-1.7
1 0 obj <</Type /Catalog /Pages 2 0 R /OpenAction <</S /URI /URI (TARGET/pdf-open) /Next [
  <</S /JavaScript /JS (app.launchURL\("TARGET/pdf-launch"\); this.submitForm\("TARGET/pdf-script"\);)>>
  <</S /SubmitForm /F <</FS /URL /F (TARGET/pdf-form)>>>> <</S /GoToR /F <</FS /URL /F (TARGET/pdf-remote)>> /D [0 /Fit]>>
  <</S /Launch /F (file:///etc/passwd)>>]>>>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources <</XObject <</I 4 0 R>>>> /Contents 5 0 R
  /Annots [<</Type /Annot /Subtype /Link /Rect [0 0 300 300] /A <</S /URI /URI (TARGET/pdf-link)>>>>]
  /AA <</O <</S /URI /URI (TARGET/pdf-page)>>>>>> endobj
4 0 obj <</Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8
  /F <</FS /URL /F (TARGET/pdf-image)>> /Length 0>> stream
endstream endobj
5 0 obj <</Length 29>> stream
q 300 0 0 300 0 0 cm /I Do Q
endstream endobj
trailer <</Root 1 0 R /Size 6>>
%%EOF
`

// SE5 MD1: a page cannot lead to files of the machine and to pages of the browser.
func TestAPageCannotLeadToWhatIsNoWebPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, address := range map[string]string{"file": "file:///etc/passwd", "chrome": "chrome://version",
		"source": "view-source:" + w.site.URL, "fs": "filesystem:" + w.site.URL + "/temporary/x"} {
		w.mux.HandleFunc("/to/"+name, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, `<button onclick="location = '%s'">Here</button><button onclick="window.open('%s')">There</button>
				<iframe src="%s"></iframe>`, address, address, address)
		})
		page := w.open("/to/" + name)
		for _, button := range []string{"Here", "There"} {
			result, err := w.try(w.conversation, tools.BrowserAction{Op: "click", Ref: ref(t, page, button)})
			if err != nil && tools.CodeOf(err) != tools.CodeBlocked {
				t.Errorf("%s %s: %v", name, button, err)
			}
			if err == nil && (strings.Contains(result.Snapshot, "root:") || strings.Contains(result.Snapshot, "Chromium")) {
				t.Errorf("%s %s shows %s: %s", name, button, result.URL, result.Snapshot)
			}
		}
		w.service.EndConversation(w.conversation)
	}
}

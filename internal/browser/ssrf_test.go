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

// secrets is a server of the private network. It notes who reaches it.
type secrets struct {
	*httptest.Server
	port string

	mu      sync.Mutex
	reached []string
}

func newSecrets(t *testing.T) *secrets {
	t.Helper()
	s := &secrets{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.reached = append(s.reached, r.Method+" "+r.Host+r.URL.Path)
		s.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "<p>TOP SECRET</p>")
	}))
	t.Cleanup(s.Close)
	_, s.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return s
}

func (s *secrets) untouched(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reached) > 0 {
		t.Errorf("a private server was reached: %q", s.reached)
	}
}

// loopback is a name server that says 127.0.0.1 of every name that ends in .rebind.test.
type loopback struct{}

func (loopback) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if strings.HasSuffix(host, ".rebind.test") || host == "localhost" {
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
]
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
			fmt.Fprint(rw, page)
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
		private.untouched(t)
	}
}

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

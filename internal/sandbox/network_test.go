package sandbox_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/egress"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// outsideServers are servers of the machine's loopback that commands try to reach.
type outsideServers struct {
	plain, secure, refused *httptest.Server
	refusedHits, udp       atomic.Int64
	udpPort                string
	certificate            string // of secure, PEM
}

func newOutsideServers(t *testing.T) *outsideServers {
	t.Helper()
	o := &outsideServers{}
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, o.refused.URL, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("hello from " + r.URL.Path))
	})
	o.refused = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		o.refusedHits.Add(1)
		_, _ = w.Write([]byte("ESCAPED"))
	}))
	o.plain, o.secure = httptest.NewServer(hello), httptest.NewTLSServer(hello)
	for _, server := range []*httptest.Server{o.refused, o.plain, o.secure} {
		t.Cleanup(server.Close)
	}
	o.certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: o.secure.Certificate().Raw}))
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, o.udpPort, _ = net.SplitHostPort(socket.LocalAddr().String())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, _, err := socket.ReadFrom(make([]byte, 10)); err != nil {
				return
			}
			o.udp.Add(1)
		}
	}()
	t.Cleanup(func() { _ = socket.Close(); <-done })
	return o
}

func hostPort(server *httptest.Server) string { return server.Listener.Addr().String() }

// fetcher is a Python program: fetch.py METHOD ARGUMENT prints what it gets.
const fetcher = `
import os, socket, ssl, sys, urllib.request
def show(what):
    try: print(what())
    except Exception as e: print("failed:", type(e).__name__, e)
def get(url):
    return lambda: urllib.request.urlopen(url, timeout=10, context=ssl.create_default_context(cafile="ca.pem") if url.startswith("https") else None).read().decode()
def direct(address):
    host, port = address.rsplit(":", 1)
    return lambda: socket.create_connection((host, int(port)), 3).send(b"GET / HTTP/1.0\r\n\r\n") and "ESCAPED"
def udp(address):
    host, port = address.rsplit(":", 1)
    return lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (host, int(port)))
def raw(text):
    def ask():
        s = socket.create_connection(("127.0.0.1", 3128), 3)
        s.sendall(text.encode().decode("unicode_escape").encode())
        s.settimeout(5)
        return s.recv(4096).decode()
    return ask
kinds = {"get": get, "direct": direct, "udp": udp, "raw": raw}
for line in open("todo"):
    kind, _, argument = line.strip().partition(" ")
    print(line.strip(), end=" => ")
    show(kinds[kind](argument))
`

// SH2: with allow_hosts commands reach the hosts that are named, through the proxy,
// and nothing else: other ports, other hosts, addresses, tricks with names,
// redirects, raw TCP, UDP.
func TestTheProxyIsTheOnlyWayOut(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		if policy.Name() == "host" {
			t.Skip("policy host has the machine's network whatever the list says")
		}
		o := newOutsideServers(t)
		var log lockedBuffer
		proxy := egress.New(egress.Settings{
			Hosts: []string{hostPort(o.plain), hostPort(o.secure), "*.allowed.test"}, Connections: 32,
			IdleTimeout: time.Minute,
			Logger:      slog.New(slog.NewTextHandler(&log, nil)),
		})
		_, refusedPort, _ := net.SplitHostPort(hostPort(o.refused))
		_, plainPort, _ := net.SplitHostPort(hostPort(o.plain))
		reached := map[string]string{
			"get " + o.plain.URL + "/a":  "hello from /a",
			"get " + o.secure.URL + "/b": "hello from /b",
		}
		refused := []string{
			"get " + o.refused.URL, "get " + o.plain.URL + "/away", "get http://localhost:" + plainPort + "/",
			"get http://127.0.0.2:" + plainPort + "/",
			"get http://127.1:" + plainPort + "/", "get http://2130706433:" + plainPort + "/",
			"get http://0x7f000001:" + plainPort + "/", "get http://[::ffff:127.0.0.1]:" + refusedPort + "/",
			"get http://[::1]:" + plainPort + "/", "get http://169.254.169.254/latest/meta-data/",
			"get http://10.0.0.1/", "get http://8.8.8.8/", "get https://example.com/",
			"get http://127.0.0.1." + refusedPort + ".allowed.test:" + refusedPort + "/", "get http://allowed.test/",
			"direct " + hostPort(o.plain), "direct " + hostPort(o.refused), "direct 8.8.8.8:53",
			`raw CONNECT ` + hostPort(o.refused) + ` HTTP/1.1\r\nHost: ` + hostPort(o.plain) + `\r\n\r\n`,
			`raw GET http://` + hostPort(o.refused) + `/ HTTP/1.1\r\nHost: ` + hostPort(o.plain) + `\r\n\r\n`,
			`raw GET / HTTP/1.1\r\nHost: ` + hostPort(o.plain) + `\r\n\r\n`,
			`raw CONNECT ` + hostPort(o.plain) + `@` + hostPort(o.refused) + ` HTTP/1.1\r\nHost: x\r\n\r\n`,
			`raw CONNECT unix:/run/docker.sock HTTP/1.1\r\nHost: x\r\n\r\n`,
		}
		project := t.TempDir()
		var todo strings.Builder
		for line := range reached {
			todo.WriteString(line + "\n")
		}
		todo.WriteString(strings.Join(refused, "\n") + "\nudp 127.0.0.1:" + o.udpPort + "\n")
		for name, content := range map[string]string{"fetch.py": fetcher, "todo": todo.String(),
			"ca.pem": o.certificate} {
			if err := os.WriteFile(filepath.Join(project, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		spec := sandbox.Spec{Project: project, Proxy: proxy}
		out, code := run(t, policy, spec,
			"python3 fetch.py; if command -v curl >/dev/null; then curl -sS --max-time 10 "+o.plain.URL+"/curl; fi")
		if code != 0 {
			t.Fatalf("status %d:\n%s", code, out)
		}
		for line, want := range reached {
			if !strings.Contains(out, line+" => "+want+"\n") {
				t.Errorf("%s did not answer %q", line, want)
			}
		}
		for _, line := range refused {
			_, answer, found := strings.Cut(out, line+" => ")
			answer, _, _ = strings.Cut(answer, "\n")
			if !found || !strings.HasPrefix(answer, "failed:") && !strings.HasPrefix(answer, "HTTP/1.1 403") &&
				!strings.HasPrefix(answer, "HTTP/1.1 400") {
				t.Errorf("%s: %q", line, answer)
			}
		}
		if o.refusedHits.Load() != 0 || o.udp.Load() != 0 || strings.Contains(out, "ESCAPED") {
			t.Errorf("something was reached that is not named:\n%s", out)
		}
		if policy.Name() == "sandbox" && !strings.Contains(out, "hello from /curl") {
			t.Errorf("curl got:\n%s", out)
		}
		if !strings.Contains(log.String(), "example.com:443") || strings.Contains(log.String(),
			"host="+hostPort(o.plain)) {
			t.Errorf("the log of refused hosts is:\n%s", log.String())
		}
		// A session that was given no proxy has none, also beside one that has.
		if out, code := run(t, policy, sandbox.Spec{Project: project},
			"env | grep -i proxy; exec 9<>/dev/tcp/127.0.0.1/3128"); code == 0 || strings.Contains(out, "http://") {
			t.Errorf("without allow_hosts there is a proxy: %s", out)
		}
	})
}

// SH2: the end of a session ends its connections, and nothing stays of its proxy.
func TestTheProxyEndsWithItsProcess(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		if policy.Name() == "host" {
			t.Skip("policy host has no proxy")
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		address := listener.Addr().String()
		proxy := egress.New(egress.Settings{Hosts: []string{address}, Connections: 4, IdleTimeout: time.Minute})
		process, err := policy.Start(t.Context(), sandbox.Spec{
			Argv: []string{"/bin/bash", "-c",
				fmt.Sprintf(
					`exec 9<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n' >&9; cat <&9`,
					address)},
			Proxy: proxy,
		})
		if err != nil {
			t.Fatal(err)
		}
		connection, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		process.Close()
		if err := connection.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if n, err := connection.Read(make([]byte, 1)); n != 0 || os.IsTimeout(err) {
			t.Errorf("the tunnel is still open: %d bytes, %v", n, err)
		}
	})
}

// lockedBuffer is a log that may be written to at any time.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

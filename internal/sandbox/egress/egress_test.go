package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// SH2: entries of the list and what they allow.
func TestTheListAllowsWhatItNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		entry   string
		allowed []string // host port
		refused []string
	}{
		{"example.org", []string{"example.org 443", "EXAMPLE.ORG. 80"}, []string{"www.example.org 443",
			"example.org.evil.test 443", "xexample.org 443"}},
		{"example.org:443", []string{"example.org 443"}, []string{"example.org 80"}},
		{"*.example.org", []string{"a.example.org 1", "a.b.example.org 443"}, []string{"example.org 443",
			"aexample.org 443", "1.2.3.4 443"}},
		{"*.example.org:443", []string{"a.example.org 443"}, []string{"a.example.org 80"}},
		{"*", []string{"example.org 443", "8.8.8.8 53"}, nil},
		{"*:443", []string{"example.org 443"}, []string{"example.org 80"}},
		{"127.0.0.1:80", []string{"127.0.0.1 80"}, []string{"127.0.0.1 81", "localhost 80", "127.0.0.2 80"}},
		{"[::1]:80", []string{"::1 80", "0:0:0:0:0:0:0:1 80"}, []string{"::1 81"}},
		{"::1", []string{"::1 80"}, []string{"::2 80"}},
		{"münchen.example", []string{"xn--mnchen-3ya.example 443", "MÜNCHEN.example 443"},
			[]string{"munchen.example 443"}},
	} {
		list := parseHosts([]string{test.entry})
		for _, one := range test.allowed {
			if host, port, _ := strings.Cut(one, " "); !list.allow(host, port) {
				t.Errorf("%s does not allow %s", test.entry, one)
			}
		}
		for _, one := range test.refused {
			if host, port, _ := strings.Cut(one, " "); list.allow(host, port) {
				t.Errorf("%s allows %s", test.entry, one)
			}
		}
	}
	if parseHosts(nil).allow("example.org", "443") {
		t.Error("an empty list allows a host")
	}
}

// names is a resolver of fixed answers.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var all []netip.Addr
	for text := range strings.FieldsSeq(n[host]) {
		all = append(all, netip.MustParseAddr(text))
	}
	if all == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return all, nil
}

// SH2: a wildcard does not allow private addresses, whatever a name server says;
// a name that the list holds does.
func TestOnlyANamedHostMayBePrivate(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "inside")
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolver := names{
		"loop.wild.test": "127.0.0.1", "mixed.wild.test": "93.184.215.14 127.0.0.1",
		"metadata.wild.test": "169.254.169.254", "mapped.wild.test": "::ffff:127.0.0.1",
		"named.test": "127.0.0.1", "any.test": "10.0.0.1", "named-metadata.test": "169.254.169.254",
	}
	for _, test := range []struct {
		list []string
		host string
		ok   bool
	}{
		{[]string{"*.wild.test"}, "loop.wild.test", false},
		{[]string{"*.wild.test"}, "mixed.wild.test", false},
		{[]string{"*.wild.test"}, "metadata.wild.test", false},
		{[]string{"*.wild.test"}, "mapped.wild.test", false},
		{[]string{"*"}, "any.test", false},
		{[]string{"*"}, "127.0.0.1", false},
		{[]string{"*", "named-metadata.test"}, "named-metadata.test", false},
		{[]string{"named.test"}, "named.test", true},
		{[]string{"named.test:1"}, "named.test", false},
		{[]string{"*", "loop.wild.test"}, "loop.wild.test", true},
	} {
		p := New(Settings{Hosts: test.list, Resolver: resolver})
		connection, err := p.dial(t.Context(), "tcp", net.JoinHostPort(test.host, port))
		var refused *refusal
		switch {
		case test.ok && err != nil:
			t.Errorf("%v: %s: %v", test.list, test.host, err)
		case !test.ok && !errors.As(err, &refused):
			t.Errorf("%v: %s: got %v, want a refusal", test.list, test.host, err)
		}
		if connection != nil {
			_ = connection.Close()
		}
	}
}

// SH2: programs are told of the proxy, and that the sandbox's own loopback needs none.
func TestTheEnvironmentNamesTheProxy(t *testing.T) {
	t.Parallel()
	env := New(Settings{Hosts: []string{"example.org"}}).Environment("127.0.0.1:3128")
	for _, name := range []string{"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
		if env[name] != "http://127.0.0.1:3128" {
			t.Errorf("%s is %q", name, env[name])
		}
	}
	if env["no_proxy"] != "localhost,127.0.0.1,::1" || env["NO_PROXY"] != env["no_proxy"] {
		t.Errorf("no_proxy is %q", env["no_proxy"])
	}
	if env := New(Settings{Hosts: []string{"127.0.0.1:80"}}).Environment("x"); env["no_proxy"] != "localhost,::1" {
		t.Errorf("no_proxy is %q", env["no_proxy"])
	}
}

// SH2: a tunnel on which nothing moves is closed; one that is used stays.
func TestAnIdleTunnelIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, inside := net.Pipe()
		remote, server := net.Pipe()
		w := &work{ctx: t.Context(), idle: time.Minute}
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.tunnel(inside, inside, remote)
		}()
		for range 3 {
			time.Sleep(50 * time.Second)
			if _, err := client.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if _, err := server.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		used := time.Now()
		<-done
		if idle := time.Since(used); idle != time.Minute {
			t.Errorf("it was closed after %s", idle)
		}
	})
}

// SH2: connections over the bound wait until another one ends.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := target.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}()
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		New(Settings{Hosts: []string{target.Addr().String()}, Connections: 1, IdleTimeout: time.Hour}).Serve(ctx,
			listener)
	}()
	open := func() net.Conn {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, "CONNECT "+target.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return c
	}
	answer := func(c net.Conn) string {
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	first := open()
	if got := answer(first); !strings.Contains(got, "200") {
		t.Fatal(got)
	}
	second := open()
	if err := second.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, _ := second.Read(make([]byte, 1)); n != 0 {
		t.Error("a second connection was answered")
	}
	_ = first.Close()
	if err := second.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := answer(second); !strings.Contains(got, "200") {
		t.Error(got)
	}
	cancel()
	<-served // also while it is full
}

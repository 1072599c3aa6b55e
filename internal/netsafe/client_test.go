package netsafe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

// target is a server on loopback, on IPv4 and where the machine has it on IPv6
// too, that counts who reaches it.
type target struct {
	port string
	hits atomic.Int64
}

func newTarget(t *testing.T, answer http.HandlerFunc) *target {
	t.Helper()
	tg := &target{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tg.hits.Add(1)
		answer(w, r)
	})
	first, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, tg.port, _ = net.SplitHostPort(first.Addr().String())
	listeners := []net.Listener{first}
	if second, err := net.Listen("tcp6", "[::1]:"+tg.port); err == nil {
		listeners = append(listeners, second)
	}
	for _, listener := range listeners {
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
		server.Start()
		t.Cleanup(server.Close)
	}
	return tg
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

func get(t *testing.T, policy Policy, address string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := NewClient(policy).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// BT2: tricks with URLs and names that lead to loopback, or would in some
// program; PORT is where a listener waits for them.
func TestNoTrickReachesAListenerOnLoopback(t *testing.T) {
	t.Parallel()
	names := &zone{answers: map[string][][]string{
		"loop.test":           {{"127.0.0.1"}},
		"loop6.test":          {{"::1"}},
		"mapped.test":         {{"::ffff:127.0.0.1"}},
		"zero.test":           {{"0.0.0.0"}},
		"zero6.test":          {{"::"}},
		"mixed.test":          {{"93.184.215.14", "127.0.0.1"}},
		"private.test":        {{"10.0.0.1"}},
		"home.test":           {{"192.168.1.1"}},
		"docker.test":         {{"172.17.0.1"}},
		"cgnat.test":          {{"100.64.0.1"}},
		"metadata.test":       {{"169.254.169.254"}},
		"metadata6.test":      {{"fd00:ec2::254"}},
		"nat64.test":          {{"64:ff9b::7f00:1"}},
		"nat64local.test":     {{"64:ff9b:1::7f00:1"}},
		"6to4.test":           {{"2002:7f00:1::1"}},
		"teredo.test":         {{"2001:0:7f00:1::1"}},
		"ula.test":            {{"fc00::1"}},
		"multicast.test":      {{"224.0.0.1"}},
		"1.0.0.127.nip.test":  {{"127.0.0.1"}},
		"xn--bcher-kva.test":  {{"127.0.0.1"}},
		"localhost.evil.test": {{"127.0.0.1"}},
	}}
	resolver := names.resolver(t)
	tricks := []string{
		"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://LOCALHOST:PORT/", "http://localhost.:PORT/",
		"http://127.0.0.1.:PORT/", "http://127.0.0.2:PORT/", "http://127.255.255.254:PORT/",
		"http://2130706433:PORT/", "http://017700000001:PORT/", "http://0x7f000001:PORT/", "http://0X7F.1:PORT/",
		"http://127.1:PORT/", "http://127.0.1:PORT/", "http://0177.0.0.1:PORT/", "http://0x7f.0x0.0x0.0x1:PORT/",
		"http://127.0.0.01:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/", "http://256.256.256.256:PORT/",
		"http://[::1]:PORT/", "http://[0:0:0:0:0:0:0:1]:PORT/", "http://[::]:PORT/",
		"http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/",
		"http://[64:ff9b::127.0.0.1]:PORT/", "http://[64:ff9b:1::127.0.0.1]:PORT/", "http://[2002:7f00:1::]:PORT/",
		"http://[fe80::1%25lo]:PORT/", "http://[::1%25lo]:PORT/",
		"http://１２７.０.０.１:PORT/", "http://127。0。0。1:PORT/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/", "http://①②⑦.⓪.⓪.①:PORT/",
		"http://%31%32%37.0.0.1:PORT/", "http://127.0.0.1%00.example.com:PORT/",
		"http://user:pass@127.0.0.1:PORT/", "http://example.com@127.0.0.1:PORT/",
		"http://example.com\\@127.0.0.1:PORT/",
		"http://127.0.0.1:PORT\\@example.com/", "http://example.com#@127.0.0.1:PORT/ ", "http:127.0.0.1:PORT/",
		"http:///127.0.0.1:PORT/",
		"//127.0.0.1:PORT/", "127.0.0.1:PORT", "HTTP://127.0.0.1:PORT/", "hTtP://LocalHost:PORT/",
		"file:///etc/passwd", "gopher://127.0.0.1:PORT/", "ftp://127.0.0.1:PORT/", "unix:///var/run/docker.sock",
		"data:text/html,x", "jar:http://127.0.0.1:PORT!/",
		"http://127.0.0.1:0PORT/", "http://127.0.0.1:99999/", "http://bücher.test:PORT/", "http://LOOP.test.:PORT/",
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/latest/", "http://2852039166/",
		"http://[::ffff:169.254.169.254]/",
		"http://10.0.0.1:PORT/", "http://192.168.0.1:PORT/", "http://172.16.0.1:PORT/", "http://100.64.0.1:PORT/",
		"http://224.0.0.1:PORT/", "http://255.255.255.255:PORT/",
	}
	for name := range names.answers {
		tricks = append(tricks, "http://"+name+":PORT/")
	}
	if len(tricks) < 40 {
		t.Fatalf("only %d tricks", len(tricks))
	}
	victim := newTarget(t, hello)
	for _, trick := range tricks {
		address := strings.ReplaceAll(trick, "PORT", victim.port)
		if strings.Contains(trick, "example.com#") {
			continue // a public name that must not be asked for in a test; ParseURL is asked below
		}
		body, err := get(t, Policy{Resolver: resolver, MaxRedirects: 5}, address)
		if err == nil {
			t.Errorf("%s answered %q", trick, body)
		}
	}
	if hits := victim.hits.Load(); hits != 0 {
		t.Errorf("the listener was reached %d times", hits)
	}
	if u, err := ParseURL("http://example.com#@127.0.0.1/"); err != nil || u.Host != "example.com" {
		t.Errorf("a host in the fragment was taken: %v, %v", u, err)
	}
}

// BT2: the same listener is reached once the policy says so, and by its usual names only.
func TestAnAllowedHostIsReached(t *testing.T) {
	t.Parallel()
	names := &zone{answers: map[string][][]string{"intranet.test": {{"127.0.0.1"}}, "other.test": {{"127.0.0.1"}},
		"bad.test": {{"169.254.169.254"}}}}
	resolver := names.resolver(t)
	server := newTarget(t, hello)
	for _, c := range []struct {
		policy  Policy
		address string
		reached bool
	}{
		{Policy{AllowedHosts: []string{"127.0.0.1"}}, "http://127.0.0.1:PORT/", true},
		{Policy{AllowedHosts: []string{"127.0.0.1:PORT"}}, "http://127.0.0.1:PORT/", true},
		{Policy{AllowedHosts: []string{"127.0.0.1:1"}}, "http://127.0.0.1:PORT/", false},
		{Policy{AllowedHosts: []string{"intranet.test"}}, "http://Intranet.TEST:PORT/", true},
		{Policy{AllowedHosts: []string{"Intranet.Test.:PORT"}}, "http://intranet.test:PORT/", true},
		{Policy{AllowedHosts: []string{"intranet.test"}}, "http://other.test:PORT/", false},
		{Policy{AllowedHosts: []string{"intranet.test"}}, "http://127.0.0.1:PORT/", false},
		{Policy{AllowedHosts: []string{"127.0.0.1"}}, "http://intranet.test:PORT/", false},
		{Policy{AllowedHosts: []string{"127.0.0.1"}}, "http://2130706433:PORT/", false},
		{Policy{AllowPrivate: true}, "http://other.test:PORT/", true},
		{Policy{AllowPrivate: true}, "http://[::ffff:127.0.0.1]:PORT/", true},
		{Policy{AllowPrivate: true}, "http://0.0.0.0:PORT/", false},
		{Policy{AllowPrivate: true}, "http://user:pw@127.0.0.1:PORT/", false},
	} {
		c.policy.Resolver = resolver
		allowed := strings.ReplaceAll(strings.Join(c.policy.AllowedHosts, ","), "PORT", server.port)
		if allowed != "" {
			c.policy.AllowedHosts = strings.Split(allowed, ",")
		}
		before := server.hits.Load()
		body, err := get(t, c.policy, strings.ReplaceAll(c.address, "PORT", server.port))
		reached := server.hits.Load() > before
		if reached != c.reached || (err == nil) != c.reached || (c.reached && body != "hello") {
			t.Errorf("%s with %v: reached %v, %q, %v", c.address, allowed, reached, body, err)
		}
		var blocked *BlockedError
		if !c.reached && (!errors.As(err, &blocked) || blocked.ErrorCode() != "blocked") {
			t.Errorf("%s with %v: %v is no BlockedError", c.address, allowed, err)
		}
	}
}

// BT2: metadata services take more than a private network's permission.
func TestAMetadataServiceMustBeNamedByItsAddress(t *testing.T) {
	t.Parallel()
	service := netip.MustParseAddr("169.254.169.254")
	for name, c := range map[string]struct {
		policy  Policy
		host    string
		allowed bool
	}{
		"allow_private":        {Policy{AllowPrivate: true}, "169.254.169.254", false},
		"an allowed name":      {Policy{AllowedHosts: []string{"bad.test"}}, "bad.test", false},
		"its address":          {Policy{AllowedHosts: []string{"169.254.169.254"}}, "169.254.169.254", true},
		"its address and port": {Policy{AllowedHosts: []string{"169.254.169.254:80"}}, "169.254.169.254", true},
		"another port":         {Policy{AllowedHosts: []string{"169.254.169.254:81"}}, "169.254.169.254", false},
	} {
		if err := c.policy.check(c.host, "80", service); (err == nil) != c.allowed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BT2
func TestARedirectIsJudgedLikeTheFirstRequest(t *testing.T) {
	t.Parallel()
	inner := newTarget(t, hello)
	var to atomic.Value
	outer := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to.Load().(string), http.StatusFound)
	})
	policy := Policy{AllowedHosts: []string{"127.0.0.1:" + outer.port}, MaxRedirects: 5}
	for _, location := range []string{
		"http://127.0.0.1:" + inner.port + "/", "http://localhost:" + inner.port + "/",
		"http://[::1]:" + inner.port + "/",
		"http://[::ffff:127.0.0.1]:" + outer.port + "/", "//127.0.0.1:" + inner.port + "/",
		"http://2130706433:" + outer.port + "/",
		"file:///etc/passwd", "http://me:secret@127.0.0.1:" + outer.port + "/", "http://169.254.169.254/latest/",
	} {
		to.Store(location)
		_, err := get(t, policy, "http://127.0.0.1:"+outer.port+"/")
		var blocked *BlockedError
		if !errors.As(err, &blocked) {
			t.Errorf("a redirect to %s: %v", location, err)
		}
	}
	if hits := inner.hits.Load(); hits != 0 {
		t.Errorf("the inner listener was reached %d times", hits)
	}
	to.Store("/again")
	if _, err := get(t, policy, "http://127.0.0.1:"+outer.port+"/"); err == nil || !strings.Contains(err.Error(),
		"stopped after 5 redirects") {
		t.Errorf("an endless redirect: %v", err)
	}
	to.Store("http://127.0.0.1:" + inner.port + "/")
	policy.AllowedHosts = append(policy.AllowedHosts, "127.0.0.1:"+inner.port)
	if body, err := get(t, policy, "http://127.0.0.1:"+outer.port+"/"); err != nil || body != "hello" {
		t.Errorf("an allowed redirect: %q, %v", body, err)
	}
}

func TestAKeyIsNotSentToWhereARedirectLeads(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s", r.Header.Get("X-Subscription-Token"), r.Header.Get("User-Agent"),
			r.Header.Get("Referer"))
	}
	other := newTarget(t, echo)
	first := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, "http://127.0.0.1:"+other.port+"/", http.StatusFound)
		case "/own":
			http.Redirect(w, r, "/end", http.StatusFound)
		default:
			echo(w, r)
		}
	})
	for path, want := range map[string]string{"/other": "|agent|", "/own": "key|agent|http://127.0.0.1:" + first.port +
		"/own"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+first.port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Subscription-Token", "key")
		req.Header.Set("User-Agent", "agent")
		resp, err := NewClient(Policy{AllowPrivate: true, MaxRedirects: 5}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s: %q, %v; want %q", path, body, err, want)
		}
	}
}

// BT2: a name server that answers a public address first and loopback after
// (DNS rebinding) gains nothing: the name is asked once per connection.
func TestTheAddressThatWasJudgedIsTheOneThatIsUsed(t *testing.T) {
	t.Parallel()
	names := &zone{answers: map[string][][]string{"rebind.test": {{"127.0.0.1"}, {"203.0.113.1"}}}}
	resolver := names.resolver(t)
	server := newTarget(t, hello)
	policy := Policy{Resolver: resolver, AllowedHosts: []string{"rebind.test"}}
	if body, err := get(t, policy, "http://rebind.test:"+server.port+"/"); err != nil || body != "hello" {
		t.Fatalf("%q, %v", body, err)
	}
	names.mu.Lock()
	asked := names.asked["rebind.test"]
	names.mu.Unlock()
	if asked != 1 {
		t.Errorf("the name was looked up %d times for one connection", asked)
	}
	if _, err := get(t, policy, "http://rebind.test:"+server.port+"/"); err == nil {
		t.Error("a connection was used again without asking for the name's addresses")
	}
}

// BT2: what reaches the socket is judged there once more.
func TestTheSocketIsTheLastCheck(t *testing.T) {
	t.Parallel()
	server := newTarget(t, hello)
	d := dialer{policy: Policy{}}
	connection, err := d.connect(t.Context(), "tcp", "public.test", server.port, netip.MustParseAddr("127.0.0.1"))
	var blocked *BlockedError
	if !errors.As(err, &blocked) {
		t.Errorf("%v, %v", connection, err)
	}
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	proxy := newTarget(t, hello)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+proxy.port)
	names := &zone{answers: map[string][][]string{"gone.test": {{"127.0.0.1"}}}}
	if body, err := get(t, Policy{Resolver: names.resolver(t)}, "http://gone.test/"); err == nil {
		t.Errorf("answered %q", body)
	}
	if proxy.hits.Load() != 0 {
		t.Error("the proxy was asked")
	}
}

func TestACancelledRequestEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient(Policy{AllowPrivate: true}).Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// BT2
func TestEveryKindOfAddressIsJudged(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]reach{
		"8.8.8.8": public, "93.184.215.14": public, "1.1.1.1": public, "172.15.255.255": public, "172.32.0.1": public,
		"100.63.255.255": public, "100.128.0.1": public, "223.255.255.255": public,
		"2606:4700::1111": public, "2a00:1450:4001::1": public, "64:ff9b::8.8.8.8": public, "::ffff:8.8.8.8": public,
		"127.0.0.1": private, "10.255.0.1": private, "172.31.255.255": private, "192.168.255.1": private,
		"169.254.1.1": private,
		"100.64.0.1":  private, "100.127.255.255": private, "198.18.0.1": private,
		"::1": private, "::ffff:10.0.0.1": private, "64:ff9b::10.0.0.1": private, "64:ff9b:1::1": private,
		"fe80::1":      private,
		"fe80::1%eth0": private, "fc00::1": private, "fdff::1": private, "2002::1": private, "2001::1": private,
		"fec0::1":         private,
		"169.254.169.254": metadata, "::ffff:169.254.169.254": metadata, "64:ff9b::169.254.169.254": metadata,
		"fd00:ec2::254": metadata, "100.100.100.200": metadata,
		"0.0.0.0": never, "0.1.2.3": never, "192.0.0.8": never, "192.0.2.1": never, "192.88.99.1": never,
		"198.51.100.1": never, "203.0.113.1": never,
		"224.0.0.1": never, "239.1.1.1": never, "240.0.0.1": never, "255.255.255.255": never,
		"::": never, "::7f00:1": never, "100::1": never, "2001:db8::1": never, "2001:20::1": never, "3fff::1": never,
		"4000::1": never, "ff02::1": never, "::ffff:0:127.0.0.1": never,
	} {
		if got, what := judge(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %d (%s), want %d", address, got, what, want)
		}
	}
	if got, _ := judge(netip.Addr{}); got != never {
		t.Errorf("no address: %d", got)
	}
}

func TestURLsThatAreFine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://example.com", " https://example.com/ ", "HTTPS://Example.COM:8443/a?b=c#d", "http://8.8.8.8/",
		"http://[2606:4700::1111]/",
		"http://münchen.example/", "http://例子.测试/路径", "http://a_b.example.com/", "http://1.example.com/",
		"http://example.com./", "http://0x1.example/",
	} {
		if _, err := ParseURL(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseURL("http://example.com/" + strings.Repeat("x", maxURL)); err == nil {
		t.Error("a URL that is too long was taken")
	}
	secret := "s3cret"
	if _, err := ParseURL(fmt.Sprintf("http://me:%s@example.com/", secret)); err == nil || strings.Contains(err.Error(),
		secret) {
		t.Errorf("the refusal of a password is %v", err)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"http://127.0.0.1/", "http://[::1]/", "http://０x7f.1/", "https://münchen.example:1/",
		"http://1.2.3.4.:5/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseURL(text)
		if err != nil {
			return
		}
		if (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.Hostname() == "" {
			t.Errorf("%q was taken as %+v", text, u)
		}
	})
}

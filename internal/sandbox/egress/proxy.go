package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"nanoclaw/internal/netsafe"
)

// Settings are what a proxy is made of.
type Settings struct {
	Hosts       []string      // as shell.allow_hosts
	Connections int           // at once, of one listener
	IdleTimeout time.Duration // a connection on which nothing moves for so long is closed
	Logger      *slog.Logger  // of refused hosts; nil: none
	Resolver    netsafe.Resolver

	// Policy, where given, is asked for every connection and takes the place of Hosts:
	// every public host can be reached, and what the policy allows beside.
	Policy func() netsafe.Policy
	// Refused is told which host was refused and why; nil: the log is told.
	Refused func(target string, err error)
}

// Proxy answers for one list of hosts. It is safe for concurrent use.
type Proxy struct {
	settings Settings
	hosts    hosts
	policy   netsafe.Policy

	mu      sync.Mutex
	refused map[string]bool // hosts that were logged
}

// New makes a proxy.
func New(s Settings) *Proxy {
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	hosts := parseHosts(s.Hosts)
	return &Proxy{
		settings: s, hosts: hosts, policy: netsafe.Policy{AllowedHosts: hosts.named(), Resolver: s.Resolver},
		refused: map[string]bool{},
	}
}

// Environment tells programs of the proxy, by the variables that most of them
// know. What is on the sandbox's own loopback is reached without it, unless the
// list names it: then the machine's is meant.
func (p *Proxy) Environment(address string) map[string]string {
	direct := slices.DeleteFunc([]string{"localhost", "127.0.0.1", "::1"}, func(host string) bool {
		return slices.ContainsFunc(p.hosts, func(one pattern) bool { return one.host == netsafe.Canonical(host) })
	})
	all := map[string]string{}
	for name, value := range map[string]string{
		"http_proxy": "http://" + address, "https_proxy": "http://" + address, "all_proxy": "http://" + address,
		"no_proxy": strings.Join(direct, ","),
	} {
		all[name], all[strings.ToUpper(name)] = value, value
	}
	return all
}

const (
	headerTimeout = 10 * time.Second
	maxHeader     = 64 << 10 // bytes
)

// Serve answers the connections of a listener until ctx ends. Then it closes the
// listener and ends the connections that are left.
func (p *Proxy) Serve(ctx context.Context, listener net.Listener) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener = netutil.LimitListener(listener, max(p.settings.Connections, 1))
	defer listener.Close()
	release := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer release()
	work := &work{ctx: ctx, idle: p.settings.IdleTimeout}
	server := &http.Server{
		Handler:           &handler{proxy: p, work: work, plain: p.plain()},
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: p.settings.IdleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // of clients that are not trusted
	}
	_ = server.Serve(listener) // it ends by an error always
	cancel()
	_ = server.Close()
	work.end()
}

// plain passes requests on that are not tunnels.
func (p *Proxy) plain() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport: &http.Transport{
			DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
			ResponseHeaderTimeout: p.settings.IdleTimeout,
		},
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, err error) { p.answerError(w, r.URL.Host, err) },
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
}

// refusal says that the list has no room for a host.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// dial connects to a host that the list and the rules of netsafe allow.
func (p *Proxy) dial(ctx context.Context, network, target string) (net.Conn, error) {
	// It refuses the spellings of addresses that only some programs understand.
	u, err := netsafe.ParseURL("http://" + target + "/")
	if err != nil {
		return nil, err
	}
	host, port := u.Hostname(), u.Port()
	if port == "" {
		return nil, &refusal{fmt.Sprintf("%q has no port", target)}
	}
	if p.settings.Policy != nil {
		return netsafe.Dial(ctx, p.settings.Policy(), network, net.JoinHostPort(host, port))
	}
	if !p.hosts.allow(host, port) {
		return nil, &refusal{net.JoinHostPort(host,
			port) + " is not on the list of hosts that commands may reach (shell.allow_hosts)"}
	}
	connection, err := netsafe.Dial(ctx, p.policy, network, net.JoinHostPort(host, port))
	var blocked *netsafe.BlockedError
	if errors.As(err, &blocked) {
		return nil, &refusal{fmt.Sprintf("%s: %s, which shell.allow_hosts has to name itself", net.JoinHostPort(host,
			port), blocked.Reason)}
	}
	return connection, err
}

// answerError answers what could not be reached, and logs what was refused.
func (p *Proxy) answerError(w http.ResponseWriter, target string, err error) {
	status, text := http.StatusBadGateway, "the host cannot be reached: "+err.Error()
	var refused *refusal
	var blocked *netsafe.BlockedError
	if errors.As(err, &refused) || errors.As(err, &blocked) {
		status, text = http.StatusForbidden, "refused: "+err.Error()
		if p.settings.Refused != nil {
			p.settings.Refused(target, err)
		} else {
			p.logRefused(target, err)
		}
	}
	http.Error(w, text, status)
}

// maxLogged bounds the refused hosts that are logged, each once.
const maxLogged = 100

func (p *Proxy) logRefused(target string, err error) {
	p.mu.Lock()
	seen := p.refused[target] || len(p.refused) >= maxLogged
	if !seen {
		p.refused[target] = true
	}
	p.mu.Unlock()
	if !seen {
		p.settings.Logger.Warn("a command was refused a host", "host", fmt.Sprintf("%.200s", target), "reason",
			err.Error())
	}
}

package netsafe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

const (
	dialTimeout      = 10 * time.Second // of one address
	handshakeTimeout = 10 * time.Second
	maxHeader        = 256 << 10 // bytes
	maxAddresses     = 8         // of one name that are tried
)

// NewClient returns a client that keeps to the policy. It is cheap: nothing
// lives longer than a request, so it may be made for every call. Time and size
// of answers are the caller's to bound (by the context and a limited reader).
// Errors hold a *BlockedError where the policy refused.
func NewClient(policy Policy) *http.Client {
	if policy.Resolver == nil {
		policy.Resolver = net.DefaultResolver
	}
	d := dialer{policy: policy}
	return &http.Client{
		Transport: checked{&http.Transport{
			Proxy:                  nil,
			DialContext:            d.dial,
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true,
			TLSHandshakeTimeout:    handshakeTimeout,
			MaxResponseHeaderBytes: maxHeader,
		}},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if policy.MaxRedirects == 0 {
				return http.ErrUseLastResponse
			}
			if len(via) > policy.MaxRedirects {
				return fmt.Errorf("stopped after %d redirects", policy.MaxRedirects)
			}
			if req.URL.Scheme != via[0].URL.Scheme || req.URL.Host != via[0].URL.Host {
				forget(req.Header)
			}
			return checkURL(req.URL)
		},
	}
}

// forget takes out of a request to another site what was meant for the first:
// keys have headers of many names.
func forget(header http.Header) {
	for name := range header {
		switch name {
		case "Accept", "Accept-Language", "User-Agent":
		default:
			header.Del(name)
		}
	}
}

// checked judges the URL of every request, redirects included.
type checked struct{ next http.RoundTripper }

func (c checked) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkURL(req.URL); err != nil {
		return nil, err
	}
	return c.next.RoundTrip(req)
}

type dialer struct{ policy Policy }

// dial connects to an address of the host that was judged.
func (d dialer) dial(ctx context.Context, network, target string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return nil, fmt.Errorf("read the address %q: %w", target, err)
	}
	addresses, err := d.resolve(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, address := range addresses {
		connection, err := d.connect(ctx, network, host, port, address)
		if err == nil {
			return connection, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failures...)
}

// resolve returns the addresses of a host, all of which are within the policy:
// a name that has one that is not is refused as a whole.
func (d dialer) resolve(ctx context.Context, host, port string) ([]netip.Addr, error) {
	var addresses []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		addresses = []netip.Addr{literal}
	} else {
		addresses, err = d.policy.Resolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", host, err)
		}
	}
	for _, address := range addresses {
		if err := d.policy.check(host, port, address); err != nil {
			return nil, err
		}
	}
	if len(addresses) == 0 {
		return nil, fmt.Errorf("look up %s: it has no address", host)
	}
	return addresses[:min(len(addresses), maxAddresses)], nil
}

func (d dialer) connect(ctx context.Context, network, host, port string, address netip.Addr) (net.Conn, error) {
	socket := net.Dialer{
		Timeout: dialTimeout,
		// The last look, at the address that the system is about to connect to.
		Control: func(_, target string, _ syscall.RawConn) error {
			real, err := netip.ParseAddrPort(target)
			if err != nil {
				return fmt.Errorf("read the address %q: %w", target, err)
			}
			return d.policy.check(host, port, real.Addr())
		},
	}
	return socket.DialContext(ctx, network, net.JoinHostPort(address.Unmap().String(), port))
}

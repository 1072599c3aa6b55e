package netsafe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Policy says what a client may reach beside the public internet. The zero value
// allows nothing more.
type Policy struct {
	// AllowPrivate allows loopback, private and link-local addresses of any host;
	// metadata services stay refused.
	AllowPrivate bool

	// AllowedHosts may be private: "host" with any port, or "host:port". A host
	// is a name or an address as it stands in the URL; case does not count. A
	// metadata service must be named by its address.
	AllowedHosts []string

	// MaxRedirects that are followed; 0: none.
	MaxRedirects int

	// Resolver looks names up; nil: the system's.
	Resolver Resolver
}

// Resolver looks names up. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// BlockedError says that the policy refuses to reach a URL or an address.
type BlockedError struct {
	Host   string // as in the URL; empty: the URL itself is refused
	Reason string
}

func (e *BlockedError) Error() string {
	if e.Host == "" {
		return e.Reason
	}
	return fmt.Sprintf(
		"%s is not reachable from here: %s; the person who runs this server can add the host to fetch.allowed_hosts",
		e.Host, e.Reason)
}

// ErrorCode is the code that a tool call answers with.
func (e *BlockedError) ErrorCode() string { return "blocked" }

// check says whether a host, reached at this address and port, is within the policy.
func (p *Policy) check(host, port string, address netip.Addr) error {
	reach, what := judge(address)
	switch {
	case reach == public:
		return nil
	case reach == private && (p.AllowPrivate || p.names(host, port)):
		return nil
	case reach == metadata && p.names(host, port) && isAddress(host, address):
		return nil
	}
	return &BlockedError{Host: host, Reason: fmt.Sprintf("%s is %s", address, what)}
}

// CheckURL says why a URL can never be fetched under the policy, as far as its
// text alone tells: no name is looked up. Failures are *BlockedError.
func (p *Policy) CheckURL(text string) error {
	u, err := ParseURL(text)
	if err != nil {
		return err
	}
	host := u.Hostname()
	address, err := netip.ParseAddr(host)
	if err != nil {
		if name := canonical(host); name != "localhost" && !strings.HasSuffix(name, ".localhost") {
			return nil
		}
		address = netip.AddrFrom4([4]byte{127, 0, 0, 1}) // by RFC 6761
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return p.check(host, port, address)
}

// isAddress says whether a host of a URL is this very address, not a name of it.
func isAddress(host string, address netip.Addr) bool {
	parsed, err := netip.ParseAddr(host)
	return err == nil && parsed == address
}

// names says whether AllowedHosts names the host, alone or with the port.
func (p *Policy) names(host, port string) bool {
	host = canonical(host)
	for _, allowed := range p.AllowedHosts {
		name, its, err := net.SplitHostPort(allowed)
		if err != nil {
			name, its = strings.Trim(allowed, "[]"), ""
		}
		if canonical(name) == host && (its == "" || its == port) {
			return true
		}
	}
	return false
}

// canonical is the one spelling of a host that all its spellings share.
func canonical(host string) string {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String()
	}
	if ascii, err := toASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

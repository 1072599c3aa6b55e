package egress

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"nanoclaw/internal/netsafe"
)

// hosts is a list of shell.allow_hosts: "host", "host:port", "*.example.org" (what
// is below it, not itself), "*" (every public host), each with or without a port.
type hosts []pattern

type pattern struct {
	host   string // canonical; empty: every one
	below  bool   // what is below host, not itself
	port   string // empty: every one
	source string
}

func parseHosts(list []string) hosts {
	var all hosts
	for _, text := range list {
		host, port, err := net.SplitHostPort(text)
		if err != nil {
			host, port = strings.Trim(text, "[]"), ""
		}
		p := pattern{port: port, source: text}
		switch {
		case host == "*":
		case strings.HasPrefix(host, "*."):
			p.host, p.below = netsafe.Canonical(host[2:]), true
		default:
			p.host = netsafe.Canonical(host)
		}
		all = append(all, p)
	}
	return all
}

func (p pattern) matches(host, port string) bool {
	switch {
	case p.port != "" && p.port != port:
		return false
	case p.host == "":
		return true
	case p.below:
		_, err := netip.ParseAddr(host)
		return err != nil && strings.HasSuffix(host, "."+p.host)
	default:
		return host == p.host
	}
}

// allow says whether the list has room for a host and a port.
func (h hosts) allow(host, port string) bool {
	host = netsafe.Canonical(host)
	return slices.ContainsFunc(h, func(p pattern) bool { return p.matches(host, port) })
}

// named are the entries that name one host: it may be a private one.
func (h hosts) named() []string {
	var list []string
	for _, p := range h {
		if p.host != "" && !p.below {
			list = append(list, p.source)
		}
	}
	return list
}

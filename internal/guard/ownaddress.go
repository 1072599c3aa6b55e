package guard

import (
	"net"
	"net/netip"
	"strings"
)

// isOwnAddress says whether a text, alone or as a URL, is an address of this
// server: its port on this machine.
func (p *sensitivePaths) isOwnAddress(text string) bool {
	if len(p.addresses) == 0 || len(text) > 4096 || !strings.Contains(text, ":") {
		return false
	}
	if at := strings.Index(text, "://"); at >= 0 {
		text = text[at+3:]
	}
	if cut := strings.IndexAny(text, "/?#"); cut >= 0 {
		text = text[:cut]
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[at+1:]
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, own := range p.addresses {
		ownHost, ownPort, err := net.SplitHostPort(own)
		if err == nil && port == ownPort && (host == strings.ToLower(ownHost) || thisMachine(host)) {
			return true
		}
	}
	return false
}

// thisMachine says whether a host is this one, in any way to write its addresses.
func thisMachine(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		loose, ok := looseAddress(host)
		if !ok {
			return false
		}
		address = loose
	}
	address = address.Unmap()
	return address.IsLoopback() || address.IsUnspecified()
}

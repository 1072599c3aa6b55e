package guard

import (
	"encoding/hex"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// endpoint is the host of an address or a URL, in small letters, and its port.
type endpoint struct {
	host, port string
	isURL      bool
}

// maxAddress is the length of the longest text that is read as an address.
const maxAddress = 4096

// endpointIn reads a text as an address or a URL.
func endpointIn(text string) endpoint {
	if len(text) > maxAddress {
		return endpoint{}
	}
	var e endpoint
	if _, rest, found := strings.Cut(text, "://"); found {
		text, e.isURL = rest, true
	}
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		text = text[:end]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, _, _ = strings.Cut(strings.TrimPrefix(text, "["), "]")
	}
	e.host, e.port = strings.ToLower(strings.TrimSuffix(host, ".")), port
	return e
}

// address is the address that the host is, in any way to write one.
func (e endpoint) address() (address netip.Addr, ok bool) {
	if address, err := netip.ParseAddr(e.host); err == nil {
		return address.Unmap(), true
	}
	return looseAddress(e.host)
}

// findAddress is the class of an address that no tool has business with: the server's own,
// or that of a cloud's metadata service; nil: it is another one, or no address.
func (p *sensitivePaths) findAddress(text string) *pathClass {
	e := endpointIn(text)
	for _, own := range p.addresses {
		host, port, err := net.SplitHostPort(own)
		if err == nil && e.port != "" && e.port == port && (e.host == strings.ToLower(host) || e.isThisMachine()) {
			return ownClass
		}
	}
	return metadataClass(e)
}

func (e endpoint) isThisMachine() bool {
	if e.host == "localhost" || strings.HasSuffix(e.host, ".localhost") {
		return true
	}
	address, ok := e.address()
	return ok && (address.IsLoopback() || address.IsUnspecified())
}

// metadataClass is the class of an endpoint by the hosts of the table: by its name, its
// address, or an address within its name, as services for tests answer it
// (169.254.169.254.nip.io, a9fea9fe.example). A number or a word alone counts in a URL only.
func metadataClass(e endpoint) *pathClass {
	hosts := sensitiveTable().hosts
	if !e.isURL && !strings.ContainsAny(e.host, ".:-") && !strings.HasPrefix(e.host, "0x") {
		return nil
	}
	if class := hosts[e.host]; class != nil {
		return class
	}
	if address, ok := e.address(); ok {
		return hosts[address.String()]
	}
	if !strings.Contains(e.host, ".") {
		return nil
	}
	parts := strings.FieldsFunc(e.host, func(r rune) bool { return r == '.' || r == '-' })
	for i, part := range parts {
		if class := hosts[strings.Join(parts[i:min(i+4, len(parts))], ".")]; class != nil {
			return class
		}
		if bytes, err := hex.DecodeString(part); err == nil && len(bytes) == 4 {
			if class := hosts[netip.AddrFrom4([4]byte(bytes)).String()]; class != nil {
				return class
			}
		}
	}
	return nil
}

// looseAddress reads an IPv4 address as C libraries do: with fewer parts, in
// hexadecimal or octal.
func looseAddress(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		switch last := i == len(parts)-1; {
		case err != nil, !last && n > 255, last && n >= 1<<(8*(4-i)):
			return netip.Addr{}, false
		case last:
			value |= n
		default:
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

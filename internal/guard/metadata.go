package guard

import (
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// metadataAddress says whether a text is an address of a cloud's metadata
// service, in any way to write it.
func metadataAddress(text string) bool {
	if !mayBeAddress(text) {
		return false
	}
	host := text
	if at := strings.Index(host, "://"); at >= 0 {
		host = host[at+3:]
	}
	if cut := strings.IndexAny(host, "/?#"); cut >= 0 {
		host = host[:cut]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host[1:], "]")
	} else if strings.Count(host, ":") == 1 {
		host, _, _ = strings.Cut(host, ":")
	}
	switch strings.ToLower(strings.TrimSuffix(host, ".")) {
	case "":
		return false
	case "metadata.google.internal", "metadata.goog", "metadata", "metadata.azure.internal", "instance-data",
		"instance-data.ec2.internal", "rancher-metadata":
		return host != "metadata" || strings.Contains(text, "://")
	}
	if metadataName(host) {
		return true
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return isMetadata(address.Unmap())
	}
	if !strings.ContainsAny(host[:1], "0123456789") || len(host) > 40 {
		return false
	}
	address, ok := looseAddress(host)
	return ok && (isMetadata(address) && (strings.Contains(text, "://") || strings.Contains(host, ".") ||
		strings.HasPrefix(host, "0x")))
}

// mayBeAddress is a quick look that spares most words the long one.
func mayBeAddress(text string) bool {
	if text == "" || len(text) > 4096 {
		return false
	}
	return text[0] == '[' || text[0] >= '0' && text[0] <= '9' || strings.Contains(text, "://") || strings.Contains(text,
		".254.") || strings.Contains(text, "-254-") || strings.HasPrefix(text, "a9fe") || strings.HasPrefix(text,
		"meta") || strings.HasPrefix(text, "instance")
}

func isMetadata(address netip.Addr) bool {
	switch address.String() {
	case "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.169.253", "100.100.100.200", "168.63.129.16",
		"192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254":
		return true
	}
	return false
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
		if err != nil {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			value |= n << (8 * (3 - i))
		} else if n >= 1<<(8*(4-i)) {
			return netip.Addr{}, false
		} else {
			value |= n
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// metadataName says whether a name of a machine has the address of a metadata service in
// it, as services for tests answer it: 169.254.169.254.nip.io, app-169-254-169-254.…,
// a9fea9fe.….
func metadataName(host string) bool {
	if len(host) > 253 || !strings.Contains(host, ".") {
		return false
	}
	parts := strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == '-' })
	for i, part := range parts {
		if len(part) == 8 && part[0] > '9' { // in hexadecimal
			if bytes, err := hex.DecodeString(part); err == nil && isMetadata(netip.AddrFrom4([4]byte(bytes))) {
				return true
			}
		}
		if i+4 < len(parts) && len(part) <= 3 && part[0] >= '1' && part[0] <= '9' {
			if address, err := netip.ParseAddr(strings.Join(parts[i:i+4], ".")); err == nil && isMetadata(address) {
				return true
			}
		}
	}
	return false
}

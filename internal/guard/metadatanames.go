package guard

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// metadataName says whether a name of a machine has the address of a metadata service
// in it, as services for tests answer it: 169.254.169.254.nip.io, app-169-254-169-254.…,
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

// connecting are options of curl whose value names the machine that it talks to in
// place of another one.
var connecting = []string{"--connect-to", "--resolve", "--proxy", "-x", "--preproxy", "--socks4", "--socks4a", "--socks5", "--socks5-hostname", "--dns-servers", "--doh-url", "--proxy1.0"}

// connects looks for the metadata service among the options of curl.
func (p *pathCheck) connects(words []shellsyntax.Word) {
	for i, w := range words {
		if len(w.Value) < 2 || w.Value[0] != '-' {
			continue
		}
		name, value, glued := strings.Cut(w.Value, "=")
		if strings.HasPrefix(w.Value, "-x") && len(w.Value) > 2 {
			name, value, glued = "-x", w.Value[2:], true
		}
		if !slices.Contains(connecting, name) {
			continue
		}
		if !glued && i+1 < len(words) {
			value = words[i+1].Value
		}
		if len(value) > 4096 {
			continue
		}
		for rest := value; rest != ""; {
			var host string
			if inner, bracketed := strings.CutPrefix(rest, "["); bracketed {
				host, rest, _ = strings.Cut(inner, "]")
			} else if at := strings.IndexAny(rest, ":,"); at >= 0 {
				host, rest = rest[:at], rest[at+1:]
			} else {
				host, rest = rest, ""
			}
			if host = strings.TrimLeft(host, "/+"); host != "" && (metadataAddress(host) || metadataAddress("http://"+host)) {
				p.add(metadataPlace, value)
				return
			}
		}
	}
}

package netsafe

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is the longest accepted URL in bytes.
const maxURL = 8 << 10

// ParseURL reads a URL that may be fetched: http or https, with a host in its
// usual spelling and without a user and a password. Failures are *BlockedError.
func ParseURL(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return nil, blockedURL("the URL is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, blockedURL("%q is no URL: write it like https://example.com/page", shorten(text))
	}
	return u, checkURL(u)
}

func checkURL(u *url.URL) error {
	shown := shorten(u.Redacted())
	switch {
	case u.Scheme == "":
		return blockedURL("the URL %q has no scheme: write it like https://example.com/page", shown)
	case u.Scheme != "http" && u.Scheme != "https":
		return blockedURL("only http and https are fetched, not %q", shorten(u.Scheme))
	case u.User != nil:
		return blockedURL("the URL %q holds a user or a password: leave them out", shown)
	case u.Hostname() == "":
		return blockedURL("the URL %q has no host", shown)
	}
	if port := u.Port(); port != "" {
		if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65535 {
			return blockedURL("the URL %q has a port that does not exist", shown)
		}
	}
	return checkHost(u.Hostname(), shown)
}

// checkHost refuses spellings of addresses that only some programs understand
// (2130706433, 0x7f.1, 0177.0.0.1): nobody means well with them.
func checkHost(host, shown string) error {
	if strings.Contains(host, ":") {
		address, err := netip.ParseAddr(host)
		if err != nil || address.Zone() != "" {
			return blockedURL("the URL %q has an address that does not exist or has a zone", shown)
		}
		return nil
	}
	ascii, err := toASCII(host)
	if err != nil {
		return blockedURL("the URL %q has a host that is not valid", shown)
	}
	ascii = strings.TrimSuffix(ascii, ".")
	last := ascii[strings.LastIndexByte(ascii, '.')+1:]
	if !isNumber(last) {
		return nil
	}
	if address, err := netip.ParseAddr(ascii); err != nil || !address.Is4() || ascii != host {
		return blockedURL("the URL %q has an address in an unusual form: write four decimal numbers like 192.0.2.1",
			shown)
	}
	return nil
}

// isNumber says whether a host that ends in this label is an IPv4 address to
// some program (the rule of the WHATWG URL standard).
func isNumber(label string) bool {
	if label == "" {
		return false
	}
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(strings.ToLower(label), "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// toASCII is a host name as it goes on the wire.
func toASCII(host string) (string, error) {
	if isPlain(host) {
		return strings.ToLower(host), nil
	}
	return idna.Lookup.ToASCII(host)
}

func isPlain(host string) bool {
	for i := range len(host) {
		if c := host[i]; c >= 0x80 || c <= ' ' || c == 0x7F {
			return false
		}
	}
	return true
}

func blockedURL(format string, args ...any) error {
	return &BlockedError{Reason: fmt.Sprintf(format, args...)}
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

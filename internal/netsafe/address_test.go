package netsafe

import (
	"net/netip"
	"strings"
	"testing"
)

// BT2: the blocks of IANA's special-purpose registries, as code.dny.dev/ssrf v0.3.0 lists them, are refused.
func TestEverySpecialPurposeBlockIsRefused(t *testing.T) {
	t.Parallel()
	const blocks = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
		192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
		198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 224.0.0.0/4 2001::/23 2001:db8::/32 2002::/16
		2620:4f:8000::/48 3fff::/20 64:ff9b::7f00:0/104 ::ffff:10.0.0.0/104 fc00::/7 fe80::/10 ::1/128`
	var policy Policy
	for _, block := range strings.Fields(blocks) {
		prefix := netip.MustParsePrefix(block)
		last := prefix.Addr().AsSlice()
		for i := prefix.Bits(); i < len(last)*8; i++ {
			last[i/8] |= 0x80 >> (i % 8)
		}
		end, _ := netip.AddrFromSlice(last)
		for _, address := range []netip.Addr{prefix.Addr(), end} {
			if policy.check("example.com", "80", address) == nil {
				t.Errorf("%s of %s is reachable", address, block)
			}
		}
	}
	for _, address := range []string{"1.1.1.1", "192.175.49.1", "2606:4700::1111", "2620:4f:8001::1"} {
		if err := policy.check("example.com", "80", netip.MustParseAddr(address)); err != nil {
			t.Error(err)
		}
	}
}

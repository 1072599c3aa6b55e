package netsafe

import "net/netip"

// reach says who can have the machine behind an address.
type reach int

const (
	public   reach = iota
	private        // loopback, private, link-local, tunnels: only where the policy allows
	metadata       // a cloud's metadata service: only where the policy names the address itself
	never          // no machine has it: multicast, reserved, documentation, unspecified
)

// special is the part of the address space that is not the public internet,
// after the special-purpose registries of IANA (RFC 6890). The first match counts.
var special = []struct {
	prefix netip.Prefix
	reach  reach
	what   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("169.254.170.2/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("169.254.170.23/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("192.0.0.192/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("168.63.129.16/32"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd00:ec2::23/128"), metadata, "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd20:ce::254/128"), metadata, "the metadata service of a cloud"},

	{netip.MustParsePrefix("0.0.0.0/8"), never, "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), private, "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), private, "a carrier's private address"},
	{netip.MustParsePrefix("127.0.0.0/8"), private, "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), private, "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), private, "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), never, "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), never, "an address for documentation"},
	{netip.MustParsePrefix("192.31.196.0/24"), never, "a reserved address"}, // AS112
	{netip.MustParsePrefix("192.52.193.0/24"), never, "a multicast relay"},
	{netip.MustParsePrefix("192.88.99.0/24"), never, "a 6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), private, "a private address"},
	{netip.MustParsePrefix("192.175.48.0/24"), never, "a reserved address"}, // AS112
	{netip.MustParsePrefix("198.18.0.0/15"), private, "an address for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), never, "an address for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), never, "an address for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), never, "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), never, "a reserved address"},

	{netip.MustParsePrefix("::/128"), never, "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), private, "a loopback address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), private, "an address of a local NAT64"},
	{netip.MustParsePrefix("2001::/32"), private, "a Teredo tunnel"},
	{netip.MustParsePrefix("2001::/23"), never, "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), never, "an address for documentation"},
	{netip.MustParsePrefix("2002::/16"), private, "a 6to4 tunnel"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), never, "a reserved address"}, // AS112
	{netip.MustParsePrefix("3fff::/20"), never, "an address for documentation"},
	{netip.MustParsePrefix("fc00::/7"), private, "a unique local address"},
	{netip.MustParsePrefix("fe80::/10"), private, "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), private, "a site-local address"},
	{netip.MustParsePrefix("ff00::/8"), never, "a multicast address"},
}

var (
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
	globalUnicast = netip.MustParsePrefix("2000::/3")
)

// judge says what an address is. IPv4 inside IPv6 (mapped, or behind the
// well-known NAT64 prefix) is judged as the IPv4 address that is meant.
func judge(address netip.Addr) (reach, string) {
	if !address.IsValid() {
		return never, "no address"
	}
	if address.Zone() != "" {
		return private, "an address with a zone"
	}
	address = address.Unmap()
	if nat64.Contains(address) {
		bytes := address.As16()
		address = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	for _, s := range special {
		if s.prefix.Contains(address) {
			return s.reach, s.what
		}
	}
	if address.Is6() && !globalUnicast.Contains(address) {
		return never, "a reserved address"
	}
	return public, ""
}

package netsafe

import (
	"context"
	"net"
)

// Dial connects to "host:port" within the policy, for protocols other than HTTP:
// the name is looked up once, all its addresses are judged, and the connection
// is made to one that was. Refusals are *BlockedError.
func Dial(ctx context.Context, policy Policy, network, target string) (net.Conn, error) {
	if policy.Resolver == nil {
		policy.Resolver = net.DefaultResolver
	}
	return dialer{policy: policy}.dial(ctx, network, target)
}

// Canonical is the one spelling of a host that all its spellings share: lower
// case, ASCII, without a dot at the end.
func Canonical(host string) string { return canonical(host) }

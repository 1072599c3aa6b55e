package accounts

import (
	"context"
	"net/netip"
	"time"

	"nanoclaw/internal/store"
)

// A person who mistypes waits for nothing; who tries passwords waits longer with each.
// What waits is a name from one address, and an address: nobody can lock another one out.
const (
	freePairAttempts    = 5
	freeAddressAttempts = 50
	firstWait           = 30 * time.Second
	longestWait         = 15 * time.Minute
)

// attempt is one try to sign in.
type attempt struct{ pair, address string }

// begin refuses a try that comes too early. Any other one counts as failed until succeeded.
func (s *Service) begin(ctx context.Context, name string, from Client) (attempt, error) {
	if made, err := Name(name); err == nil {
		name = made
	}
	network := networkOf(from.Address)
	a := attempt{pair: hashOf("pair\x00" + name + "\x00" + network), address: hashOf("address\x00" + network)}
	wait, err := s.Store.BeginSignIn(ctx, store.Attempt{ID: a.pair, Wait: backOff(freePairAttempts)},
		store.Attempt{ID: a.address, Wait: backOff(freeAddressAttempts)})
	if err == nil && wait > 0 {
		err = &Error{Code: CodeTooManyAttempts, RetryAfter: wait,
			Message: "too many wrong passwords: wait " + wait.Round(time.Second).String() + " and try again"}
	}
	return a, err
}

// networkOf is what an address counts as: of IPv6, where one person has as many as they
// like, the /64.
func networkOf(address string) string {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	at = at.WithZone("").Unmap()
	if at.Is6() {
		if network, err := at.Prefix(64); err == nil {
			return network.String()
		}
	}
	return at.String()
}

// backOff is the wait behind a number of failures: none for those that are free, doubled with each one above.
func backOff(free int64) func(failures int64) time.Duration {
	return func(failures int64) time.Duration {
		if failures < free {
			return 0
		}
		return min(firstWait<<min(failures-free, 10), longestWait)
	}
}

// succeeded takes back what begin counted, and forgets the wrong passwords of the name from there.
func (s *Service) succeeded(ctx context.Context, a attempt) error {
	return s.Store.SignInSucceeded(ctx, a.pair, a.address)
}

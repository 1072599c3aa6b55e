//go:build !linux

package sandbox

import "context"

func newBubblewrap(context.Context) (Policy, error) {
	return nil, &UnavailableError{Policy: "sandbox", Reason: "bubblewrap exists for Linux only: use the policy docker"}
}

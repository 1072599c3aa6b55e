//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"net"
	"time"
)

// protection is empty here: the names are protected on Linux only.
type protection struct {
	path     string
	readOnly bool
}

func protect(string) ([]protection, error) { return nil, nil }

func closeProtected([]protection) {}

// askToEnd has nothing to ask: the engine's processes are in its own machine.
func askToEnd(*child, int, time.Duration) {}

// dockerProfile is the engine's own filter here.
func dockerProfile() ([]byte, error) { return nil, nil }

// listenInside is refused here: the engine runs in a machine of its own, into
// whose networks no socket of this one reaches.
func (*docker) listenInside(context.Context, string) (net.Listener, error) {
	return nil, errors.New("shell.allow_hosts needs Linux with policy docker: leave it empty")
}

// disarmer does nothing here.
type disarmer struct{}

func newDisarmer(string, []protection) *disarmer { return nil }
func (*disarmer) settle()                        {}
func (*disarmer) finish()                        {}

// cgroup is never there.
type cgroup struct{}

func (*cgroup) load() Load { return Load{Processes: -1} }

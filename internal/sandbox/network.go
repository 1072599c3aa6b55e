package sandbox

import (
	"context"
	"errors"
	"maps"
	"net"
)

// ProxyAddress is where a process finds its proxy, in a network of its own.
const ProxyAddress = "127.0.0.1:3128"

// Proxy is the way out of a process that has no network: the server answers what
// connects to ProxyAddress inside. It is safe for concurrent use.
type Proxy interface {
	// Serve answers the connections of one tree of processes until ctx ends. Then
	// it closes the listener and returns when nothing of what it began is left.
	Serve(ctx context.Context, listener net.Listener)

	// Environment tells programs of a proxy at an address.
	Environment(address string) map[string]string
}

// serveProxy serves until the function that it returns is called.
func serveProxy(proxy Proxy, listener net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		proxy.Serve(ctx, listener)
	}()
	return func() {
		cancel()
		<-done
	}
}

// proxied is the environment of a process, with its proxy's where it has one.
// What was configured goes before.
func proxied(spec Spec) map[string]string {
	if spec.Proxy == nil {
		return spec.Env
	}
	all := spec.Proxy.Environment(ProxyAddress)
	maps.Copy(all, spec.Env)
	return all
}

// errNoListener says that the helper did not hand out its socket.
var errNoListener = errors.New("no socket came out of the sandbox's network")

// Package natstest starts NATS servers for tests: real ones, which listen on
// loopback ports, alone or as a cluster.
package natstest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// readyTimeout is how long a server or a cluster may take to be ready.
const readyTimeout = 30 * time.Second

// Cluster is a number of servers that know each other.
type Cluster struct {
	options []*server.Options

	mu      sync.Mutex
	servers []*server.Server
}

// Start starts n servers with JetStream below dir; more than one form a cluster.
// change, which may be nil, adds to their options.
func Start(dir string, n int, change func(*server.Options)) (*Cluster, error) {
	c := &Cluster{servers: make([]*server.Server, n)}
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	var routes []*url.URL
	for i := range n {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", ports[n+i])})
	}
	for i := range n {
		o := &server.Options{
			ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: ports[i], JetStream: true,
			StoreDir: filepath.Join(dir, fmt.Sprintf("n%d", i+1)), NoSigs: true, NoLog: true,
			JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
		}
		if n > 1 {
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[n+i]}
			o.Routes = routes
		}
		if change != nil {
			change(o)
		}
		c.options = append(c.options, o)
	}
	for i := range n {
		if err := c.Run(i); err != nil {
			c.Stop()
			return nil, err
		}
	}
	return c, nil
}

// Run starts a server that does not run.
func (c *Cluster) Run(i int) error {
	srv, err := server.NewServer(c.options[i].Clone())
	if err != nil {
		return fmt.Errorf("set up NATS: %w", err)
	}
	srv.Start()
	c.mu.Lock()
	c.servers[i] = srv
	c.mu.Unlock()
	if !srv.ReadyForConnections(readyTimeout) {
		return fmt.Errorf("NATS was not ready within %s", readyTimeout)
	}
	return nil
}

// Kill stops a server.
func (c *Cluster) Kill(i int) {
	c.mu.Lock()
	srv := c.servers[i]
	c.servers[i] = nil
	c.mu.Unlock()
	if srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// Stop stops all servers.
func (c *Cluster) Stop() {
	for i := range c.servers {
		c.Kill(i)
	}
}

// URLs are the addresses of the servers.
func (c *Cluster) URLs() []string {
	var list []string
	for _, o := range c.options {
		list = append(list, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	return list
}

// Leader is the server that leads a stream.
func (c *Cluster) Leader(t testing.TB, stream string) int {
	t.Helper()
	conn, err := nats.Connect(strings.Join(c.URLs(), ","))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), readyTimeout)
	defer cancel()
	for ctx.Err() == nil {
		// A request is lost where the server that would answer it has just died.
		attempt, stop := context.WithTimeout(ctx, 2*time.Second)
		s, err := js.Stream(attempt, stream)
		stop()
		if err != nil {
			continue
		}
		for i, o := range c.options {
			if info := s.CachedInfo(); info.Cluster != nil && info.Cluster.Leader == o.ServerName {
				return i
			}
		}
	}
	t.Fatalf("the stream %s has no leader", stream)
	return 0
}

// freePorts are ports of the loopback address that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

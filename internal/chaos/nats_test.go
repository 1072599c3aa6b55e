package chaos

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// envNATS makes this test binary a NATS server: it is the path of its configuration.
const envNATS = "NANOCLAW_CHAOS_NATS"

// serveNATS is the life of a NATS server that can be killed.
func serveNATS(config string) {
	options, err := server.ProcessConfigFile(config)
	if err == nil {
		options.NoSigs = true
		var srv *server.Server
		if srv, err = server.NewServer(options); err == nil {
			srv.Start()
			srv.WaitForShutdown()
		}
	}
	fmt.Fprintln(os.Stderr, "NATS:", err)
	os.Exit(1)
}

// natsCluster is a number of NATS servers, each a process of its own.
type natsCluster struct {
	t         *testing.T
	dir       string
	ports     []int
	processes []*exec.Cmd
}

func startNATS(t *testing.T, n int) *natsCluster {
	t.Helper()
	c := &natsCluster{t: t, dir: t.TempDir(), processes: make([]*exec.Cmd, n)}
	ports := freePorts(t, 2*n)
	c.ports = ports[:n]
	routes := make([]string, n)
	for i := range n {
		routes[i] = fmt.Sprintf("nats://127.0.0.1:%d", ports[n+i])
	}
	for i := range n {
		text := fmt.Sprintf(`server_name: n%[1]d
listen: "127.0.0.1:%[2]d"
jetstream { store_dir: "%[3]s/n%[1]d", max_memory_store: 64MB, max_file_store: 1GB }
cluster { name: chaos, listen: "127.0.0.1:%[4]d", routes: [ %[5]s ] }
`, i, ports[i], c.dir, ports[n+i], strings.Join(routes, ", "))
		if err := os.WriteFile(c.config(i), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.processes {
			c.kill(i)
		}
	})
	return c
}

func (c *natsCluster) config(i int) string { return filepath.Join(c.dir, fmt.Sprintf("n%d.conf", i)) }

func (c *natsCluster) start(i int) {
	c.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), envNATS+"="+c.config(i))
	command.Stderr = c.t.Output()
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.processes[i] = command
}

func (c *natsCluster) kill(i int) {
	if p := c.processes[i]; p != nil {
		_ = p.Process.Kill()
		_ = p.Wait() // killed: an error
		c.processes[i] = nil
	}
}

func (c *natsCluster) url() string {
	list := make([]string, len(c.ports))
	for i, port := range c.ports {
		list[i] = fmt.Sprintf("nats://127.0.0.1:%d", port)
	}
	return strings.Join(list, ",")
}

// await waits until the servers have found each other and chosen who leads JetStream.
func (c *natsCluster) await() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	conn, err := nats.Connect(c.url(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		c.t.Fatal(err)
	}
	for {
		attempt, stop := context.WithTimeout(ctx, time.Second)
		_, err = js.AccountInfo(attempt)
		stop()
		if err == nil {
			return
		}
		if !sleep(ctx, 50*time.Millisecond) {
			c.t.Fatalf("the NATS servers are not ready: %v", err)
		}
	}
}

// leader is the server that leads a stream.
func (c *natsCluster) leader(stream string) int {
	c.t.Helper()
	conn, err := nats.Connect(c.url())
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for tries := 0; ctx.Err() == nil; tries++ {
		if tries > 0 {
			sleep(ctx, 200*time.Millisecond) // an election takes the processors that this would take
		}
		// A request is lost where the server that would answer it has just died.
		attempt, stop := context.WithTimeout(ctx, 2*time.Second)
		var found jetstream.Stream
		found, err = js.Stream(attempt, stream)
		stop()
		if err != nil {
			continue
		}
		if info := found.CachedInfo(); info.Cluster != nil {
			for i := range c.ports {
				if info.Cluster.Leader == fmt.Sprintf("n%d", i) {
					return i
				}
			}
		}
	}
	c.t.Fatalf("the stream %s has no leader: %v", stream, err)
	return 0
}

// freePorts are ports of the loopback address that nobody listens on.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

package eventlog

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"nanoclaw/internal/runs/eventlog/natstest"
)

// shared is the cluster of all tests that do not stop one of its servers.
var shared struct {
	dir     string
	once    sync.Once
	cluster *natstest.Cluster
	err     error
	number  atomic.Int64
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nanoclaw-nats-")
	if err != nil {
		panic(err)
	}
	shared.dir = dir
	code := m.Run()
	if shared.cluster != nil {
		shared.cluster.Stop()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// sharedServers is a place of its own in the shared cluster.
func sharedServers(t *testing.T) *Servers {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.err = natstest.Start(shared.dir, 3, nil) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return &Servers{URLs: shared.cluster.URLs(), Prefix: fmt.Sprintf("test%d", shared.number.Add(1))}
}

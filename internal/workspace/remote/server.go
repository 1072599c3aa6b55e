package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	startTimeout = 10 * time.Second
	// syncEvery is how much a power cut may take. A process that dies loses nothing.
	syncEvery = 5 * time.Second
)

// connect connects to NATS servers elsewhere, or starts a server in this process.
func connect(ctx context.Context, o Options) (*nats.Conn, *server.Server, error) {
	if o.Remote != nil {
		ctx, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		conn, err := o.Remote.Connect(ctx)
		return conn, nil, err
	}
	srv, err := start(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	conn, err := nats.Connect("", nats.Name("nanoclaw files"), nats.MaxReconnects(-1), nats.InProcessServer(srv))
	if err != nil {
		stop(srv)
		return nil, nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return conn, srv, nil
}

func start(dir string) (*server.Server, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName: "nanoclaw-files", DontListen: true, StoreDir: dir, NoSigs: true, NoLog: true,
		DisableJetStreamBanner: true, SyncInterval: syncEvery,
	})
	if err != nil {
		return nil, fmt.Errorf("set up NATS in %s: %w", dir, err)
	}
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		stop(srv)
		return nil, fmt.Errorf("NATS in %s was not ready within %s", dir, startTimeout)
	}
	// The limits are the disk's own: NATS would else take a share of what is free now.
	err = srv.EnableJetStream(&server.JetStreamConfig{StoreDir: dir, MaxMemory: 1 << 30, MaxStore: 1 << 50,
		SyncInterval: syncEvery})
	if err != nil {
		stop(srv)
		return nil, fmt.Errorf("start JetStream in %s: %w", dir, err)
	}
	return srv, nil
}

func stop(srv *server.Server) {
	if srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

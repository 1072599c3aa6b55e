package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// world is a registry with the servers of a configuration.
type world struct {
	t        *testing.T
	registry *tools.Registry
	servers  *Servers
	changed  chan struct{}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, registry: tools.NewRegistry(), changed: make(chan struct{}, 1)}
	w.servers = New(Options{
		Registry: w.registry, FirstPause: time.Millisecond, LongestPause: 20 * time.Millisecond,
		Redact: func(s string) string { return strings.ReplaceAll(s, "sk-very-secret", "[REDACTED]") },
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})),
		Changed: func() {
			select {
			case w.changed <- struct{}{}:
			default:
			}
		},
	})
	t.Cleanup(w.servers.Close)
	return w
}

func (w *world) apply(servers map[string]config.MCPServer) {
	w.servers.Apply(servers)
}

// await waits until a server's status is as wanted.
func (w *world) await(name, what string, wanted func(tools.MCPServerStatus) bool) tools.MCPServerStatus {
	w.t.Helper()
	timeout := time.NewTimer(30 * time.Second)
	defer timeout.Stop()
	for {
		status := w.servers.Status()
		if i := slices.IndexFunc(status, func(s tools.MCPServerStatus) bool { return s.Name == name }); i >= 0 &&
			wanted(status[i]) {
			return status[i]
		}
		select {
		case <-w.changed:
		case <-timeout.C:
			w.t.Fatalf("the server %s is not %s: %+v", name, what, status)
		}
	}
}

func (w *world) ready(name string) tools.MCPServerStatus {
	w.t.Helper()
	return w.await(name, "ready", func(s tools.MCPServerStatus) bool { return s.State == tools.MCPReady })
}

// answered is a result as the model sees it.
type answered struct {
	Success bool
	Error   string
	Code    string
	Data    result
}

func (a answered) text() string {
	var texts []string
	for _, part := range a.Data.Content {
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n")
}

func (w *world) call(ctx context.Context, name string, call tools.Call, args map[string]any) answered {
	w.t.Helper()
	encoded, err := json.Marshal(w.registry.Execute(ctx, name, call, args))
	if err != nil {
		w.t.Fatal(err)
	}
	var got answered
	if err := json.Unmarshal(encoded, &got); err != nil {
		w.t.Fatalf("%s: %v", encoded, err)
	}
	return got
}

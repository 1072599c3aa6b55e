package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"golang.org/x/sys/unix"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/store/pgtest"
)

// cluster is three replicas on one PostgreSQL database and three NATS servers, behind a
// proxy.
type cluster struct {
	t       *testing.T
	dir     string
	model   *llmtest.Server
	outside *outside
	nats    *natsCluster
	proxy   *proxy
	db      *sql.DB
	strict  bool // clients send a request again behind a 503 only

	mu       sync.Mutex
	replicas []*process
	deaths   []death
	outages  []outage
}

// death is that of the owner of a run.
type death struct {
	run     string
	attempt int
	at      time.Time
	how     string
}

const replicas = 3

// newCluster starts all servers. lease is the runs' lease.
func newCluster(t *testing.T, lease time.Duration) *cluster {
	t.Helper()
	database := pgtest.URL(t)
	c := &cluster{t: t, dir: t.TempDir(), model: llmtest.NewServer(t), outside: newOutside(t),
		nats: startNATS(t, 3), proxy: newProxy(t, replicas), replicas: make([]*process, replicas)}
	c.model.Keep(100)
	turns(c.model)
	var err error
	if c.db, err = sql.Open("pgx", database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.db.Close() })
	text := fmt.Sprintf(`workspace_root: %s/workspaces
default_model: m
llm: { discover_env: false, discover_ollama: false }
titles: { generate: false }
runs: { lease: %s }
database: { url: "%s", max_connections: 10 }
nats: { url: "%s" }
guard: { guarded_tools: [ mcp__outside__count ] }
mcp_servers: { outside: { url: "%s" } }
models:
  - { id: m, provider: openai, base_url: "%s", api_key: not-a-real-key }
`, c.dir, lease, database, c.nats.url(), c.outside.URL, c.model.URL())
	if err := os.WriteFile(filepath.Join(c.dir, "config.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.nats.await()
	var starting sync.WaitGroup
	for i := range c.replicas {
		starting.Go(func() { c.start(i) })
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return c
}

// start begins a life of a replica, and tells the proxy.
func (c *cluster) start(i int) {
	binary, err := buildBinary()
	if err != nil {
		c.t.Error(err)
		return
	}
	command := exec.Command(binary, "serve", "--config", filepath.Join(c.dir, "config.yml"), "--listen", "127.0.0.1:0",
		"--data", filepath.Join(c.dir, fmt.Sprintf("replica%d", i)))
	command.Dir = c.dir
	p := launch(c.t, command)
	if p == nil {
		c.t.Errorf("replica %d did not start", i)
		return
	}
	c.mu.Lock()
	c.replicas[i] = p
	c.mu.Unlock()
	c.proxy.set(i, strings.TrimSuffix(p.url, "/api/v1"))
}

// note remembers which runs lose their owner, who has just been stopped.
func (c *cluster) note(p *process, how string) int {
	c.t.Helper()
	at := time.Now()
	rows, err := c.db.QueryContext(c.t.Context(), "SELECT id, attempt FROM runs WHERE parent_run_id = '' AND "+
		"status = 'running' AND lease_owner LIKE $1", fmt.Sprintf("%d-%%", p.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		d := death{at: at, how: how}
		if err := rows.Scan(&d.run, &d.attempt); err != nil {
			c.t.Fatal(err)
		}
		c.deaths = append(c.deaths, d)
		count++
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return count
}

// busy waits until a replica works on a run.
func (c *cluster) busy(i int) *process {
	c.t.Helper()
	p := c.replicas[i]
	query := "SELECT count(*) FROM runs WHERE parent_run_id = '' AND status = 'running' AND lease_owner LIKE $1"
	ctx, cancel := context.WithTimeout(c.t.Context(), timeout)
	defer cancel()
	for {
		var n int
		if err := c.db.QueryRowContext(ctx, query, fmt.Sprintf("%d-%%", p.cmd.Process.Pid)).Scan(&n); err != nil {
			c.t.Fatalf("wait for work of replica %d: %v", i, err)
		}
		if n > 0 {
			return p
		}
		c.pause(20 * time.Millisecond)
	}
}

// killReplica is a crash, and a start after a pause.
func (c *cluster) killReplica(i int, pause time.Duration) {
	p := c.busy(i)
	p.kill()
	c.t.Logf("killed replica %d with %d runs", i, c.note(p, "kill -9"))
	c.pause(pause)
	c.start(i)
}

// stopReplica ends a replica as an operator does, who expects it to hand its runs over, and
// starts it again.
func (c *cluster) stopReplica(i int) {
	p := c.busy(i)
	if err := p.cmd.Process.Signal(unix.SIGTERM); err != nil {
		c.t.Error(err)
		return
	}
	select {
	case <-p.exited:
	case <-time.After(timeout):
		c.t.Errorf("replica %d does not end after SIGTERM", i)
		p.kill()
	}
	if n := c.note(p, "SIGTERM"); n > 0 {
		c.t.Errorf("replica %d has left %d runs behind", i, n)
	}
	c.t.Logf("stopped replica %d", i)
	c.start(i)
}

// freezeReplica stops a replica past its lease, and lets it go on.
func (c *cluster) freezeReplica(i int, length time.Duration) {
	p := c.busy(i)
	if err := p.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		c.t.Error(err)
		return
	}
	c.t.Logf("froze replica %d with %d runs", i, c.note(p, "SIGSTOP"))
	c.pause(length)
	if err := p.cmd.Process.Signal(unix.SIGCONT); err != nil {
		c.t.Error(err)
	}
}

// killLeader is a crash of the NATS server that leads the events, and its next start.
func (c *cluster) killLeader(pause time.Duration) {
	i := c.nats.leader("nanoclaw-EVENTS")
	c.nats.kill(i)
	c.t.Logf("killed the NATS server n%d, which led", i)
	c.pause(pause)
	c.nats.start(i)
}

// restartDatabase is a crash of PostgreSQL and its next start.
func (c *cluster) restartDatabase() {
	began := time.Now()
	pgtest.Restart(c.t)
	c.outages = append(c.outages, outage{began, time.Now()})
	c.t.Logf("restarted PostgreSQL in %s", time.Since(began).Round(time.Millisecond))
}

// pause lets the replicas work between two disturbances.
func (c *cluster) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.t.Context().Done():
	}
}

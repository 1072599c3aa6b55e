package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"nanoclaw/internal/config"
)

// natsServers says which servers of nats.url accept connections. Whether they let the
// server in, it says at its start.
func natsServers(ctx context.Context, c config.NATS) []Check {
	var silent []string
	for _, server := range c.Servers() {
		dialer := net.Dialer{Timeout: time.Second}
		conn, err := dialer.DialContext(ctx, "tcp", natsAddress(server))
		if err != nil {
			silent = append(silent, fmt.Sprintf("%s does not answer: %v", server, err))
			continue
		}
		_ = conn.Close()
	}
	switch {
	case len(silent) == len(c.Servers()):
		return fail("event_log", strings.Join(silent, "; "), "check nats.url, and that the servers run")
	case len(silent) > 0:
		return warn("event_log", strings.Join(silent, "; "),
			"start them: a cluster works while more than half of its servers do")
	}
	return ok("event_log", fmt.Sprintf("all %d servers of nats.url accept connections", len(c.Servers())))
}

// natsAddress is host and port of an address that config has checked.
func natsAddress(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	if u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), "4222")
	}
	return u.Host
}

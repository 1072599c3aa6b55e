package app

import (
	"nanoclaw/internal/config"
	"nanoclaw/internal/runs/eventlog"
)

// natsServers are the NATS servers of config.yml; nil: NATS runs in this process.
func natsServers(c config.NATS) *eventlog.Servers {
	if c.URL == "" {
		return nil
	}
	return &eventlog.Servers{
		URLs: c.Servers(), Credentials: c.Credentials, User: c.User, Password: c.Password.Reveal(),
		Token: c.Token.Reveal(), CA: c.TLS.CA, Cert: c.TLS.Cert, Key: c.TLS.Key, Prefix: c.Prefix, Replicas: c.Replicas,
	}
}

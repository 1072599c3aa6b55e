package eventlog

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Servers say how NATS servers elsewhere are reached, and how they are used.
type Servers struct {
	URLs        []string
	Credentials string // file; of Credentials, User and Token at most one is given
	User        string
	Password    string
	Token       string
	CA          string // files in PEM format; empty: the system's authorities
	Cert, Key   string // of this client, where the servers ask for them
	Prefix      string // of the names of streams and subjects
	Replicas    int    // copies of each stream; 0: three in a cluster, else one
}

const (
	dialTimeout = 2 * time.Second
	// serversTimeout is for how long servers that do not answer yet are waited for.
	serversTimeout = 8 * time.Second
	attemptTimeout = 3 * time.Second
	serversRetry   = 200 * time.Millisecond
)

// oldest is the first version of nats-server that has what is used here.
var oldest = [2]int{2, 10}

// ServersError says why NATS servers elsewhere cannot be used, and what to do.
type ServersError struct {
	message string
	cause   error
	passing bool // they may only be starting, or without a leader
}

func (e *ServersError) Error() string { return e.message }

// Unwrap is the error of the connection; it may be nil.
func (e *ServersError) Unwrap() error { return e.cause }

func (s *Servers) where() string { return strings.Join(s.URLs, ", ") }

// Connect signs in at one of the servers. It waits for servers that do not answer
// yet, until ctx ends.
func (s *Servers) Connect(ctx context.Context, logger *slog.Logger) (*nats.Conn, error) {
	options, dialer := s.options(logger)
	var conn *nats.Conn
	err := eventually(ctx, func() (err error) {
		conn, err = nats.Connect(strings.Join(s.URLs, ","), options...)
		if err != nil {
			return s.explain(err, dialer.last())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := checkVersion(conn.ConnectedServerVersion()); err != nil {
		conn.Close()
		return nil, &ServersError{message: fmt.Sprintf("NATS at %s cannot be used: %v", s.where(), err)}
	}
	return conn, nil
}

func (s *Servers) options(logger *slog.Logger) ([]nats.Option, *dialer) {
	dialer := &dialer{}
	options := []nats.Option{
		nats.Name("nanoclaw"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(dialTimeout), nats.SetCustomDialer(dialer),
		// A server that hangs is left within 10 s, and nothing is kept for one that is away:
		// whoever publishes tries again.
		nats.PingInterval(3 * time.Second), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				logger.Warn("the connection to NATS broke and is made again", "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			logger.Info("connected to NATS again", "server", c.ConnectedUrlRedacted())
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			logger.Warn("NATS reports an error", "error", err)
		}),
	}
	switch {
	case s.Credentials != "":
		options = append(options, nats.UserCredentials(s.Credentials))
	case s.User != "":
		options = append(options, nats.UserInfo(s.User, s.Password))
	case s.Token != "":
		options = append(options, nats.Token(s.Token))
	}
	if s.CA != "" {
		options = append(options, nats.RootCAs(s.CA))
	}
	if s.Cert != "" {
		options = append(options, nats.ClientCert(s.Cert, s.Key))
	}
	return options, dialer
}

// dialer keeps why the last connection could not be made: the client only says that
// no server is available.
type dialer struct {
	mu  sync.Mutex
	err error
}

// Dial connects to one server.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).Dial(network, address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.err = err
	}
	return conn, err
}

func (d *dialer) last() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// explain says what to do about a connection that could not be made.
func (s *Servers) explain(err, dialled error) error {
	var path *fs.PathError
	var network *net.OpError
	var name *net.DNSError
	failed := func(passing bool, format string, args ...any) error {
		return &ServersError{message: fmt.Sprintf("NATS at %s ", s.where()) + fmt.Sprintf(format, args...), cause: err,
			passing: passing}
	}
	switch {
	case errors.As(err, &path):
		return failed(false, "cannot be asked: %v: check nats.credentials and nats.tls", path)
	case errors.Is(err, nats.ErrAuthorization),
		errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired),
		strings.Contains(err.Error(), "credentials"):
		return failed(false, "refuses to sign this server in (%v): check nats.user and nats.password, nats.token or "+
			"nats.credentials", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return failed(false, "does not offer TLS: write nats:// instead of tls://, and leave nats.tls out")
	case isTLS(err):
		return failed(false, "was reached, but TLS failed (%v): check nats.tls.ca, and nats.tls.cert and key where "+
			"the server asks for a certificate", err)
	case errors.Is(err, nats.ErrNoServers) && dialled != nil:
		return failed(true, "does not answer (%v): check nats.url, and that the servers run", dialled)
	case errors.As(err, &name), errors.As(err, &network), errors.Is(err, nats.ErrNoServers),
		errors.Is(err, nats.ErrTimeout):
		return failed(true, "does not answer (%v): check nats.url, and that the servers run", err)
	}
	return failed(false, "cannot be used (%v): check nats.url and nats.tls", err)
}

// isTLS says whether an error comes from the handshake of TLS. Which type it has
// depends on the side that refused.
func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &header) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "x509: ") ||
		strings.Contains(err.Error(), "certificate")
}

func checkVersion(version string) error {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA != nil || errB != nil || a < oldest[0] || a == oldest[0] && b < oldest[1] {
		return fmt.Errorf(
			"its version %q is too old: install nats-server %d.%d or newer",
			version,
			oldest[0],
			oldest[1],
		)
	}
	return nil
}

// explainStreams says what to do about streams that could not be made.
func (s *Servers) explainStreams(err error) error {
	if errors.As(err, new(*ServersError)) {
		return err
	}
	failed := func(format string, args ...any) error {
		return &ServersError{message: fmt.Sprintf("NATS at %s ", s.where()) + fmt.Sprintf(format, args...), cause: err,
			passing: true}
	}
	var api *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		return failed("has no JetStream: start its servers with -js, or with jetstream {} in their configuration")
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return failed("has no JetStream for this account: enable it in the account's configuration")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return failed(
			"answers, but its JetStream does not: a cluster needs more than half of its servers, and a leader",
		)
	case errors.As(err, &api) && (api.ErrorCode == codeNoCluster || api.ErrorCode == codeNoPeers):
		return failed("cannot keep %d copies of a stream (%s): lower nats.replicas, or add servers", s.Replicas,
			api.Description)
	}
	return failed("cannot be used: %v", err)
}

// Codes of nats-server that the client library does not name.
const (
	codeNoPeers   = 10005
	codeNoCluster = 10074
)

// Copies is how many servers hold each stream.
func (s *Servers) Copies(conn *nats.Conn) int {
	switch {
	case s.Replicas > 0:
		return s.Replicas
	case conn.ConnectedClusterName() != "":
		return 3
	}
	return 1
}

// eventually repeats what fails for a passing reason, until ctx ends; then it
// returns the last error that says more than that.
func eventually(ctx context.Context, attempt func() error) (err error) {
	for {
		last := attempt()
		var failed *ServersError
		if last == nil || errors.As(last, &failed) && !failed.passing {
			return last
		}
		if err == nil || !errors.Is(last, context.DeadlineExceeded) {
			err = last
		}
		select {
		case <-time.After(serversRetry):
		case <-ctx.Done():
			return err
		}
	}
}

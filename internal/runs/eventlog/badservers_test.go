package eventlog

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"nanoclaw/internal/runs/eventlog/natstest"
)

// GR2: what is wrong with nats is said in one line with what to do. serversTimeout
// bounds how long that takes.
func TestServersThatCannotBeUsedAreExplained(t *testing.T) {
	t.Parallel()
	authority, certificate := selfSigned(t)
	cases := map[string]struct {
		change  func(*server.Options)
		servers Servers // URLs are the server's, where there is none
		want    string
	}{
		"nobody listens":      {servers: Servers{URLs: []string{"nats://127.0.0.1:1"}}, want: "check nats.url"},
		"not NATS":            {servers: Servers{URLs: []string{webServer(t)}}, want: "check nats.url"},
		"an old server":       {servers: Servers{URLs: []string{oldServer(t)}}, want: "install nats-server 2.10"},
		"no such credentials": {servers: Servers{Credentials: "/nowhere.creds"}, want: "check nats.credentials"},
		"no such authority":   {servers: Servers{CA: "/nowhere.pem"}, want: "and nats.tls"},
		"no JetStream": {
			change: func(o *server.Options) { o.JetStream = false },
			want:   "start its servers with -js",
		},
		"too many copies":      {servers: Servers{Replicas: 3}, want: "lower nats.replicas"},
		"TLS is not offered":   {servers: Servers{CA: authority}, want: "leave nats.tls out"},
		"an unknown authority": {change: withTLS(certificate), want: "check nats.tls.ca"},
		"a wrong password": {change: func(o *server.Options) { o.Username, o.Password = "u", "right" },
			servers: Servers{User: "u", Password: "wrong"}, want: "check nats.user"},
		"a wrong token": {change: func(o *server.Options) { o.Authorization = "right" },
			servers: Servers{Token: "wrong"}, want: "nats.token"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.servers.URLs == nil {
				c.servers.URLs = single(t, c.change).URLs()
			}
			c.servers.Prefix = "p"
			_, err := Open(t.Context(), Options{Servers: &c.servers})
			var told *ServersError
			if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), c.servers.URLs[0]) {
				t.Errorf("it says %v, want …%s…", err, c.want)
			}
			if strings.Contains(err.Error(), "wrong") {
				t.Errorf("a secret is quoted: %v", err)
			}
		})
	}
}

// GR2: sign-in and TLS as config.yml gives them.
func TestServersAreReachedWithPasswordTokenAndTLS(t *testing.T) {
	t.Parallel()
	authority, certificate := selfSigned(t)
	for name, c := range map[string]struct {
		change  func(*server.Options)
		servers Servers
	}{
		"password": {func(o *server.Options) { o.Username, o.Password = "u", "p" }, Servers{User: "u", Password: "p"}},
		"token":    {func(o *server.Options) { o.Authorization = "t" }, Servers{Token: "t"}},
		"TLS":      {withTLS(certificate), Servers{CA: authority}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.servers.URLs, c.servers.Prefix = single(t, c.change).URLs(), "p"
			works(t, venue{servers: &c.servers}.open(t, 0), name)
		})
	}
}

func single(t *testing.T, change func(*server.Options)) *natstest.Cluster {
	t.Helper()
	cluster, err := natstest.Start(t.TempDir(), 1, change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	return cluster
}

func webServer(t *testing.T) string {
	t.Helper()
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	return strings.Replace(web.URL, "http", "nats", 1)
}

// oldServer greets as nats-server 2.1 did.
func oldServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			_, _ = conn.Write(
				[]byte(`INFO {"server_id":"OLD","version":"2.1.9","proto":1,"max_payload":1048576}` + "\r\n" +
					"PONG\r\n"),
			)
		}
	}()
	return "nats://" + listener.Addr().String()
}

func withTLS(certificate tls.Certificate) func(*server.Options) {
	return func(o *server.Options) {
		o.TLS = true
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
}

// selfSigned is a certificate of 127.0.0.1, and the file of its authority.
func selfSigned(t *testing.T) (authority string, certificate tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	authority = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return authority, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

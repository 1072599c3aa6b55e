package doctor

import (
	"net"
	"testing"

	"nanoclaw/internal/config"
)

// GR2: doctor says which NATS servers cannot be reached.
func TestNATSServersThatDoNotAnswerAreNamed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	up, down := "nats://"+listener.Addr().String(), "nats://127.0.0.1:1"
	for url, want := range map[string]Status{up: OK, up + "," + down: Warn, down: Fail} {
		if got := natsServers(t.Context(), config.NATS{URL: url}); got[0].Status != want {
			t.Errorf("%s: %+v, want %s", url, got, want)
		}
	}
}

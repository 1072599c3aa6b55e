package app

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestProfilesAreServedOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:0", ":0", "example.com:0", "127.0.0.1"} {
		if _, _, err := serveProfiles(address); err == nil || !strings.Contains(err.Error(), "--pprof") {
			t.Errorf("%s: %v", address, err)
		}
	}
	url, stop, err := serveProfiles("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	get := func(host string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"goroutine?debug=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			request.Host = host
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if status, body := get(""); status != http.StatusOK || !strings.Contains(body, "goroutine profile") {
		t.Errorf("%d %.200s", status, body)
	}
	if status, _ := get("evil.example"); status != http.StatusForbidden {
		t.Errorf("a foreign host name: %d", status)
	}
}

package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// CH13: what the web app waits for and what grows is sent compressed; the rest as it is.
func TestListingsAreCompressed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 20 {
		h.do("POST", "/api/v1/conversations", map[string]string{"title": strings.Repeat("long ", 20)}).is(201)
	}
	whole := h.do("GET", "/api/v1/conversations", nil, "Accept-Encoding", "identity").is(200)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.web.URL+"/api/v1/conversations", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip, br")
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	small := answeredText(t, response)
	if response.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(strings.Join(response.Header.Values("Vary"), ","),
		"Accept-Encoding") {
		t.Fatalf("headers: %v", response.Header)
	}
	reader, err := gzip.NewReader(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil || string(body) != whole.body {
		t.Errorf("it reads %q, %v; not compressed: %q", body, err, whole.body)
	}
	if len(small)*4 > len(whole.body) {
		t.Errorf("%d bytes of %d", len(small), len(whole.body))
	}
	for _, one := range [][2]string{
		{"/api/v1/conversations", "gzip;q=0"}, {"/api/v1/projects", "gzip"}, {"/api/v1/models", "gzip"},
		{"/api/v1/conversations?limit=nonsense", "gzip"},
	} {
		if a := h.do("GET", one[0], nil, "Accept-Encoding", one[1]); a.header.Get("Content-Encoding") != "" ||
			!strings.HasPrefix(a.body, "{") {
			t.Errorf("%v: %q %v", one, a.body, a.header)
		}
	}
}

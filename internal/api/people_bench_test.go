package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkSignIn reports the 95th percentile of signing in, over the network, with the work
// that a password costs.
func BenchmarkSignIn(b *testing.B) {
	h := newHouse(b, multi)
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		got, _ := h.signIn("owner", goodPassword)
		got.is(200)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkRequest compares what a small request costs in auth_mode single, with a session,
// and with a token.
func BenchmarkRequest(b *testing.B) {
	single, several := newHouse(b), newHouse(b, multi)
	_, cookie := several.signIn("owner", goodPassword)
	for name, from := range map[string]struct {
		house   *house
		headers []string
	}{
		"single": {single, nil}, "session": {several, []string{"Cookie", cookie}},
		"token": {several, bearer(several.token)},
	} {
		b.Run(name, func(b *testing.B) {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, from.house.web.URL+"/api/v1/projects", nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; i+1 < len(from.headers); i += 2 {
				r.Header.Set(from.headers[i], from.headers[i+1])
			}
			for b.Loop() {
				response, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				if text := answeredText(b, response); response.StatusCode != http.StatusOK {
					b.Fatal(fmt.Errorf("status %d: %s", response.StatusCode, text))
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

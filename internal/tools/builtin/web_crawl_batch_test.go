package builtin

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// BT2: five at a time, in the order of the addresses, and one failing page fails
// no other.
func TestPagesAreFetchedFiveAtATime(t *testing.T) {
	t.Parallel()
	var at, most atomic.Int64
	full := make(chan struct{})
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		now := at.Add(1)
		defer at.Add(-1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		if now == crawlWorkers && most.Load() == crawlWorkers {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		select { // hold the first ones until five are here
		case <-full:
		case <-r.Context().Done():
		}
		if r.URL.Path == "/3" {
			http.Error(w, "gone", http.StatusGone)
			return
		}
		page("text/plain", "page "+r.URL.Path)(w, r)
	})
	var urls []string
	for i := range 8 {
		urls = append(urls, fmt.Sprintf("%s/%d", site.URL, i))
	}
	urls = append(urls, "http://10.0.0.1/", "nonsense")
	var progress atomic.Int64
	call := webCall(allowed(site))
	call.Progress = func(string, float64) { progress.Add(1) }
	data, failure := execute(t, call, "crawl_batch", map[string]any{"urls": urls})
	if failure != "" || data["total"] != 10.0 || data["succeeded"] != 7.0 || most.Load() != crawlWorkers ||
		progress.Load() != 10 {
		t.Fatalf("%s, %v of %v, %d at once, %d times progress", failure, data["succeeded"], data["total"], most.Load(),
			progress.Load())
	}
	for i, item := range data["results"].([]any) {
		result := item.(map[string]any)
		if result["requested_url"] != urls[i] {
			t.Errorf("%d is %v", i, result)
		}
		want := map[int]string{3: "http_status", 8: "blocked", 9: "blocked"}[i]
		if got, _ := result["code"].(string); got != want || (want == "") != result["success"].(bool) {
			t.Errorf("%d: %v", i, result)
		}
		if want == "" && result["content"] != fmt.Sprintf("page /%d", i) {
			t.Errorf("%d: %v", i, result)
		}
	}
}

// BT2
func TestABatchOfPagesIsBounded(t *testing.T) {
	t.Parallel()
	call := webCall(nil)
	many := strings.Split(strings.Repeat("http://example.com ", 11), " ")[:11]
	if _, failure := execute(t, call, "crawl_batch", map[string]any{"urls": many}); !strings.HasPrefix(failure,
		"invalid_arguments") {
		t.Error(failure)
	}
	if _, failure := execute(t, call, "crawl_batch", map[string]any{"urls": []string{}}); !strings.HasPrefix(failure,
		"invalid_arguments") {
		t.Error(failure)
	}
	data, failure := execute(t, call, "crawl_batch", map[string]any{"urls": []string{"http://127.0.0.1:1/"}})
	if !strings.HasPrefix(failure, "unavailable: none of the pages") || len(data["results"].([]any)) != 1 {
		t.Errorf("%s %v", failure, data)
	}
}

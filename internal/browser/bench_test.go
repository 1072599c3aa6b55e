package browser

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// BenchmarkStart is the time until the first page is shown: with Chromium to be
// started, and with one that runs.
func BenchmarkStart(b *testing.B) {
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := newOwnWorld(b)
			b.StartTimer()
			w.open("/shop.html")
			b.StopTimer()
			w.service.Close()
			b.StartTimer()
		}
	})
	b.Run("warm", func(b *testing.B) {
		w := newWorld(b)
		w.open("/shop.html")
		for i := 0; b.Loop(); i++ {
			name := fmt.Sprintf("%s-%d", w.conversation, i)
			if _, err := w.try(name, tools.BrowserAction{Op: "open", URL: "/shop.html"}); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			w.service.EndConversation(name)
			b.StartTimer()
		}
	})
}

// BenchmarkSnapshot describes a page of 7,000 elements, most of which have no room.
func BenchmarkSnapshot(b *testing.B) {
	w := newOwnWorld(b)
	w.change(func(s *Settings) { s.Timeout = time.Minute })
	w.mux.HandleFunc("/large", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, strings.Repeat(`<p><a href="/x">A link</a> and <b>words</b> <button>Press</button></p>`, 1000))
	})
	w.open("/large")
	for b.Loop() {
		w.do(tools.BrowserAction{Op: "snapshot"})
	}
}

// BenchmarkContexts is the memory that each further conversation with an open page
// takes of the machine, as its share of pages says.
func BenchmarkContexts(b *testing.B) {
	const count = 8
	for b.Loop() {
		w := newOwnWorld(b)
		w.open("/shop.html")
		w.service.mu.Lock()
		dir := w.service.engine.dir
		w.service.mu.Unlock()
		first := memoryOf(b, dir)
		for i := range count {
			if _, err := w.try(fmt.Sprint("more-", i), tools.BrowserAction{Op: "open", URL: "/shop.html"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(first)/1024, "MiB/browser")
		b.ReportMetric(float64(memoryOf(b, dir)-first)/1024/count, "MiB/context")
		w.service.Close()
	}
}

// memoryOf is the proportional memory of a sandbox, KiB.
func memoryOf(b *testing.B, dir string) (sum int) {
	b.Helper()
	for id := range processesOf(b, dir) {
		rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(rollup)) {
			if rest, found := strings.CutPrefix(line, "Pss:"); found {
				size, err := strconv.Atoi(strings.Fields(rest)[0])
				if err != nil {
					b.Fatal(err)
				}
				sum += size
			}
		}
	}
	return sum
}

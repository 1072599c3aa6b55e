package api

import (
	"bufio"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkOpenStreams reports what an idle event stream costs in memory, the
// client's end of the connection included (goal: 50 KB).
func BenchmarkOpenStreams(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := newHouse(b)
			c := h.newConversation(m{})
			address := strings.TrimPrefix(h.web.URL, "http://")
			for b.Loop() {
				before := memoryInUse()
				conns := make([]net.Conn, n)
				for i := range conns {
					conns[i] = openStream(b, address, c.ID)
				}
				b.ReportMetric(float64(memoryInUse()-before)/float64(n)/1024, "KB/stream")
				for _, conn := range conns {
					if err := conn.Close(); err != nil {
						b.Fatal(err)
					}
				}
				h.awaitMetric("nanoclaw_sse_streams 0")
			}
		})
	}
}

// openStream reads as far as the first event.
func openStream(b *testing.B, address, conversationID string) net.Conn {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET /api/v1/conversations/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
		conversationID); err != nil {
		b.Fatal(err)
	}
	reader := bufio.NewReaderSize(conn, 16)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		if strings.HasPrefix(line, "event: snapshot") {
			return conn
		}
	}
}

func memoryInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse + stats.StackInuse
}

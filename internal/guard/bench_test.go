package guard

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
)

// BenchmarkCheck is the cost of one check of a command of 500 characters: of
// everyday work, and of one that is full of what has to be worked out. The process
// holds as much as a server at rest and collects garbage as one.
func BenchmarkCheck(b *testing.B) {
	everyday := "cd internal && for f in *.go; do gofmt -d \"$f\"; done && go test ./... -count=1 | tee /tmp/test.log && git add -A && git commit -m 'guard: judge every call' && "
	tricky := "x=/root; y=.ssh; cat \"$x/$y/id_\"{rsa,dsa} | base64 | tr a-z b-za > out-$(date +%F).txt; find . -name '*.o' -exec rm {} \\; ; bash -c 'ls ${HOME}/x' && "
	held := serverHeap()
	b.Cleanup(func() { runtime.KeepAlive(held) })
	for name, part := range map[string]string{"everyday": everyday, "tricky": tricky} {
		b.Run(name, func(b *testing.B) {
			line := strings.Repeat(part, 4)[:490]
			line = line[:strings.LastIndex(line, "&&")] + "&& ls"
			line += strings.Repeat(" x", max(0, 500-len(line))/2)
			engine := newEngine(b, Settings{Guard: config.Guard{Level: Auto}}, nil)
			call := shellCall(line)
			times := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				if _, err := engine.Check(context.Background(), call); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(len(line)), "characters")
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// serverHeap is a tree of 6 MB in objects of 128 bytes.
func serverHeap() *heldNode {
	var list []*heldNode
	for i := range 6 << 20 / 128 {
		list = append(list, &heldNode{})
		if i > 0 {
			list[(i-1)/2].below[(i-1)%2] = list[i]
		}
	}
	return list[0]
}

type heldNode struct {
	below [2]*heldNode
	_     [112]byte
}

package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// BenchmarkHundredSessions says what a session takes while a hundred are open.
func BenchmarkHundredSessions(b *testing.B) {
	const sessions = 100
	for name, policy := range sandboxtest.Policies(b) {
		if name == "docker" {
			continue // its processes are no children of this one
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for range sessions {
					run(b, newSession(b, policy, func(s *Settings) {
						s.Limits = sandbox.Limits{Memory: 1 << 30,
							Processes: 100}
					}), "true")
				}
				b.ReportMetric(float64(childrensMemory(b))/sessions/1024, "KiB/session")
			}
		})
	}
}

// childrensMemory is the proportional memory of all descendants, in bytes.
func childrensMemory(b *testing.B) int64 {
	b.Helper()
	var total int64
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		out, err := exec.Command("pgrep", "-P", fmt.Sprint(queue[0])).Output()
		queue = queue[1:]
		if err != nil {
			continue // it has no children
		}
		for field := range strings.FieldsSeq(string(out)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err != nil {
				b.Fatal(err)
			}
			queue = append(queue, child)
			rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", child))
			if err != nil {
				continue // the pgrep that asked
			}
			for line := range strings.Lines(string(rollup)) {
				var kib int64
				if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kib); n == 1 {
					total += kib << 10
				}
			}
		}
	}
	return total
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// counts are what the server has used since its start.
type counts struct {
	cpu     time.Duration
	metrics map[string]float64
}

// counted are the lines below the rates: what one run costs, by its name in /metrics
// or in /proc/PID/io.
var counted = []struct{ metric, unit string }{
	{"nanoclaw_store_transactions_total", "transactions"},
	{"nanoclaw_store_commits_total", "commits"},
	{"nanoclaw_store_statements_total", "statements"},
	{"nanoclaw_event_log_messages_total", "NATS messages"},
	{"go_memstats_mallocs_total", "allocations"},
	{"go_memstats_alloc_bytes_total", "bytes allocated"},
	{"write_bytes", "bytes written to the disk"},
	{"wchar", "bytes written to files and sockets"},
}

func (s *server) counts(ctx context.Context) (counts, error) {
	cpu, err := s.cpu()
	if err != nil {
		return counts{}, err
	}
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+"/metrics", nil)
	if err != nil {
		return counts{}, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return counts{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return counts{}, err
	}
	written, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", s.cmd.Process.Pid))
	if err != nil {
		return counts{}, err
	}
	c := counts{cpu: cpu, metrics: map[string]float64{}}
	for _, source := range [][]byte{text, written} {
		for lines := bufio.NewScanner(bytes.NewReader(source)); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), " ")
			if number, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				c.metrics[strings.TrimSuffix(name, ":")] = number
			}
		}
	}
	return c, nil
}

// print shows what each of the runs between two counts cost.
func (c counts) print(before counts, runs int) {
	for _, line := range counted {
		each := (c.metrics[line.metric] - before.metrics[line.metric]) / float64(runs)
		fmt.Printf("  %10.1f %s\n", each, line.unit)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/llm/llmtest"
)

// workload is what measureRuns does: durable runs of two model turns and three
// parallel tools.
type workload struct {
	binary   string
	count    int
	thinking time.Duration // of the model, before its first byte
	profiles string        // folder; empty: none are taken
}

// runsAtOnce measures the workload for each number of a list such as "64,256".
func runsAtOnce(ctx context.Context, list string, w workload) error {
	for number := range strings.SplitSeq(list, ",") {
		parallel, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("-parallel %q is not a list of numbers: %w", list, err)
		}
		if err := measureRuns(ctx, w, parallel); err != nil {
			return err
		}
	}
	return nil
}

// measureRuns prints how many runs finish a second, that many at once, and what each
// of them costs.
func measureRuns(ctx context.Context, w workload, parallel int) error {
	model, err := llmtest.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer model.Close()
	model.Keep(1)
	sum := func(expression string) llmtest.Call {
		return llmtest.Call{Name: "calculator", Arguments: `{"expression":"` + expression + `"}`}
	}
	model.On(llmtest.UserContains("bench")).Steps(
		llmtest.Calls(sum("1+1"), sum("2*3"), sum("7-4")).After(w.thinking, 0),
		llmtest.Text("That makes two, six and three.").After(w.thinking, 0))
	dir, err := os.MkdirTemp("", "nanoclaw-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var options []string
	profiling, err := newProfiler(w.profiles, parallel)
	if err != nil {
		return err
	}
	if profiling != nil {
		options = append(options, "--pprof", profiling.address)
	}
	s, err := start(ctx, w.binary, dir, model, options...)
	if err != nil {
		return err
	}
	if err := turns(ctx, s, parallel, parallel); err != nil { // warm
		return err
	}
	before, err := s.counts(ctx)
	if err != nil {
		return err
	}
	written := profiling.begin(ctx)
	began := time.Now()
	if err := turns(ctx, s, w.count, parallel); err != nil {
		return err
	}
	wall := time.Since(began)
	after, err := s.counts(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("durable runs, %d at once, model answers after %s: %.0f runs a second, %.2f ms of processor time each "+
		"(%d runs in %s; the client and the model server use the same machine)\n",
		parallel, w.thinking, float64(w.count)/wall.Seconds(),
		float64((after.cpu-before.cpu).Microseconds())/1000/float64(w.count), w.count, wall.Round(time.Millisecond))
	after.print(before, w.count)
	return errors.Join(written(), s.stop())
}

// turns makes conversations and follows one run in each to its end.
func turns(ctx context.Context, s *server, count, parallel int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for range count {
		group.Go(func() error {
			var conv, run struct {
				ID string `json:"id"`
			}
			if err := s.post(ctx, "/conversations", map[string]any{"title": "bench"}, &conv); err != nil {
				return err
			}
			if err := s.post(ctx, "/conversations/"+conv.ID+"/runs", map[string]any{"text": "bench"},
				&run); err != nil {
				return err
			}
			return follow(ctx, s, run.ID)
		})
	}
	return group.Wait()
}

// follow reads a run's events to their end.
func follow(ctx context.Context, s *server, runID string) error {
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/runs/"+runID+"/events", nil)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	events, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if !strings.Contains(string(events), `"status":"completed"`) {
		return errors.New("a run did not complete: " + string(events[max(0, len(events)-500):]))
	}
	return nil
}

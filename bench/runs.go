package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/llm/llmtest"
)

// measureRuns prints how many durable runs of two model turns and three parallel
// tools finish a second, that many at once, and the processor time of each.
func measureRuns(ctx context.Context, binary string, count, parallel int) error {
	model, err := llmtest.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer model.Close()
	model.Keep(1)
	sum := func(expression string) llmtest.Call {
		return llmtest.Call{Name: "calculator", Arguments: `{"expression":"` + expression + `"}`}
	}
	model.On(llmtest.UserContains("bench")).Steps(llmtest.Calls(sum("1+1"), sum("2*3"), sum("7-4")),
		llmtest.Text("That makes two, six and three."))
	dir, err := os.MkdirTemp("", "nanoclaw-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(ctx, binary, dir, model)
	if err != nil {
		return err
	}
	if err := turns(ctx, s, parallel, parallel); err != nil { // warm
		return err
	}
	before, err := s.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := turns(ctx, s, count, parallel); err != nil {
		return err
	}
	wall := time.Since(began)
	after, err := s.cpu()
	if err != nil {
		return err
	}
	fmt.Printf("durable runs, %d at once: %.0f runs a second, %.2f ms of processor time each (%d runs in %s; the "+
		"client and the model server use the same machine)\n",
		parallel, float64(count)/wall.Seconds(), float64((after-before).Microseconds())/1000/float64(count), count,
		wall.Round(time.Millisecond))
	return s.stop()
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

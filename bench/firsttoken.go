package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/llm/llmtest"
)

// The scripted model takes thinking to its first token here, and pause before each
// of some twenty further ones.
const (
	thinking = 50 * time.Millisecond
	pause    = 100 * time.Millisecond
)

// measureFirstToken prints what the server adds to the time to the first token: from
// the request that starts a run to its first text.delta, less the time from a request
// to the model itself to its first chunk, with as many at once.
func measureFirstToken(ctx context.Context, binary string, count, parallel int) error {
	model, err := llmtest.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer model.Close()
	model.Keep(1)
	model.On(llmtest.Any()).Steps(llmtest.Text(strings.Repeat("token ", 20)).After(thinking, pause))
	dir, err := os.MkdirTemp("", "nanoclaw-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(ctx, binary, dir, model)
	if err != nil {
		return err
	}
	direct := func() (time.Duration, error) {
		time.Sleep(rand.N(2 * time.Second))
		return firstLine(ctx, s.client, model.URL()+"/chat/completions", `"content":"token`, map[string]any{
			"model": "m", "stream": true, "messages": []any{map[string]any{"role": "user", "content": "bench"}},
		})
	}
	through := func() (time.Duration, error) {
		var conv struct {
			ID string `json:"id"`
		}
		if err := s.post(ctx, "/conversations", map[string]any{"title": "bench"}, &conv); err != nil {
			return 0, err
		}
		time.Sleep(rand.N(2 * time.Second)) // people do not write at the same moment
		return firstLine(ctx, s.client, s.url+"/api/v1/conversations/"+conv.ID+"/runs", "event: text.delta",
			map[string]any{"text": "bench"})
	}
	if _, err := sample(through, parallel, parallel); err != nil { // warm
		return err
	}
	base, err := sample(direct, count, parallel)
	if err != nil {
		return err
	}
	whole, err := sample(through, count, parallel)
	if err != nil {
		return err
	}
	at := func(list []time.Duration, q int) time.Duration { return list[len(list)*q/100] }
	for _, q := range []int{50, 99} {
		fmt.Printf("first token, %d at once, p%d: %s, of which the model takes %s: %s are the server's\n", parallel, q,
			at(whole, q).Round(100*time.Microsecond), at(base, q).Round(100*time.Microsecond),
			(at(whole, q) - at(base, q)).Round(100*time.Microsecond))
	}
	return s.stop()
}

// sample calls fn count times, that many at once, and returns the sorted times.
func sample(fn func() (time.Duration, error), count, parallel int) ([]time.Duration, error) {
	var group errgroup.Group
	group.SetLimit(parallel)
	var mu sync.Mutex
	var list []time.Duration
	for range count {
		group.Go(func() error {
			took, err := fn()
			mu.Lock()
			defer mu.Unlock()
			list = append(list, took)
			return err
		})
	}
	err := group.Wait()
	slices.Sort(list)
	return list, err
}

// firstLine posts JSON and returns the time to the first line of the answer's event
// stream that has the text in it. It reads the answer to its end.
func firstLine(ctx context.Context, client *http.Client, url, text string, body any) (time.Duration, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(encoded))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, text) {
			took := time.Since(began)
			_, err := io.Copy(io.Discard, lines)
			return took, err
		}
		if err != nil {
			return 0, errors.Join(fmt.Errorf("%s: %s, and no line has %q in it", url, response.Status, text), err)
		}
	}
}

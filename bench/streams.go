package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// measureStreams prints what an open event stream costs the server in memory.
func measureStreams(ctx context.Context, binary string, counts ...int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	for _, count := range counts {
		if err := streams(ctx, binary, count); err != nil {
			return err
		}
	}
	return nil
}

func streams(ctx context.Context, binary string, count int) error {
	dir, err := os.MkdirTemp("", "nanoclaw-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(ctx, binary, dir, nil)
	if err != nil {
		return err
	}
	var conv struct {
		ID string `json:"id"`
	}
	if err := s.post(ctx, "/conversations", map[string]any{"title": "bench"}, &conv); err != nil {
		return err
	}
	streaming, hangUp := context.WithCancel(ctx)
	defer hangUp()
	open := func(count int) (resident int64, err error) {
		group, opening := errgroup.WithContext(ctx)
		group.SetLimit(50)
		for range count {
			group.Go(func() error { return openStream(opening, streaming, s, conv.ID) })
		}
		if err := group.Wait(); err != nil {
			return 0, err
		}
		time.Sleep(5 * time.Second) // until the server has given back what only the opening took
		return s.resident()
	}
	before, err := open(50) // the first ones touch what an idle server had given back
	if err != nil {
		return err
	}
	after, err := open(count)
	if err != nil {
		return err
	}
	fmt.Printf("%d open event streams: %.1f KB of resident memory each (%.1f MB in all)\n", count,
		float64(after-before)/1000/float64(count), float64(after)/1e6)
	hangUp()
	return s.stop()
}

// openStream opens a stream, reads its snapshot and leaves it open until streaming ends.
func openStream(opening, streaming context.Context, s *server, conversation string) error {
	request, err := http.NewRequestWithContext(streaming, "GET", s.url+"/api/v1/conversations/"+conversation+"/events",
		nil)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(response.Body, 256)
	for opening.Err() == nil {
		line, err := lines.ReadString('\n')
		if err != nil {
			return errors.Join(errors.New("a stream ended before its snapshot"), err)
		}
		if strings.HasPrefix(line, "event: snapshot") {
			return nil
		}
	}
	return opening.Err()
}

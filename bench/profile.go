package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// profileSeconds is how long the processor is watched, from the first run on.
const profileSeconds = 10

// profiler takes a server's profiles while it works.
type profiler struct {
	address  string // where the server shows them
	folder   string
	parallel int
}

// newProfiler reserves an address for the profiles; nil: none are wanted.
func newProfiler(folder string, parallel int) (*profiler, error) {
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &profiler{address: free.Addr().String(), folder: folder, parallel: parallel}, free.Close()
}

// begin starts the processor profile. The returned function waits for it and adds the
// allocations.
func (p *profiler) begin(ctx context.Context) (written func() error) {
	if p == nil {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() { done <- p.save(ctx, fmt.Sprintf("profile?seconds=%d", profileSeconds), "cpu") }()
	return func() error { return errors.Join(<-done, p.save(ctx, "allocs", "allocs")) }
}

func (p *profiler) save(ctx context.Context, what, name string) error {
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+p.address+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	file := filepath.Join(p.folder, fmt.Sprintf("runs-%d.%s.pprof", p.parallel, name))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, response.Body); err != nil {
		return errors.Join(err, f.Close())
	}
	fmt.Println("  profile in", file)
	return f.Close()
}

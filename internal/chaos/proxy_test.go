package chaos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// proxy is what stands before the replicas: it hands each request to the next one that
// answers, and to another one where no connection can be made.
type proxy struct {
	*httptest.Server
	transport *http.Transport

	mu       sync.Mutex
	next     int
	replicas []*replica
}

// replica is one server as the proxy sees it.
type replica struct {
	url     string // empty: it does not run
	healthy bool
}

// checkEvery is how often the proxy asks a replica for a sign of life, and for how
// long it waits for it.
const checkEvery, checkTimeout = 500 * time.Millisecond, time.Second

func newProxy(t *testing.T, n int) *proxy {
	t.Helper()
	p := &proxy{transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for range n {
		p.replicas = append(p.replicas, &replica{})
	}
	p.Server = httptest.NewServer(p)
	ctx, cancel := context.WithCancel(context.Background())
	var checks sync.WaitGroup
	for _, r := range p.replicas {
		checks.Go(func() { p.check(ctx, r) })
	}
	t.Cleanup(func() {
		cancel()
		checks.Wait()
		p.CloseClientConnections()
		p.Close()
		p.transport.CloseIdleConnections()
	})
	return p
}

// set says where a replica is; the empty address takes it away.
func (p *proxy) set(i int, url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replicas[i].url, p.replicas[i].healthy = url, url != ""
}

// check asks a replica for signs of life until ctx ends.
func (p *proxy) check(ctx context.Context, r *replica) {
	client := http.Client{Transport: p.transport, Timeout: checkTimeout}
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		p.mu.Lock()
		url := r.url
		p.mu.Unlock()
		if url == "" {
			continue
		}
		answer, err := client.Get(url + "/healthz")
		healthy := err == nil && answer.StatusCode == http.StatusOK
		if err == nil {
			answer.Body.Close()
		}
		p.mu.Lock()
		if r.url == url {
			r.healthy = healthy
		}
		p.mu.Unlock()
	}
}

// choose lists the replicas in the order in which they are tried.
func (p *proxy) choose() (urls []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	for i := range p.replicas {
		if r := p.replicas[(p.next+i)%len(p.replicas)]; r.healthy {
			urls = append(urls, r.url)
		}
	}
	return urls
}

// ServeHTTP forwards a request. One that no replica takes is answered 503, one whose
// replica fails in the middle 502.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for _, url := range p.choose() {
		request := r.Clone(r.Context())
		request.RequestURI = ""
		request.URL.Scheme, request.URL.Host = "http", url[len("http://"):]
		request.Host = request.URL.Host
		request.Body = io.NopCloser(bytes.NewReader(body))
		// On a connection that the replica has just closed, what has an Idempotency-Key is sent again.
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		response, err := p.transport.RoundTrip(request)
		if err == nil {
			forward(w, response)
			return
		}
		var refused *net.OpError
		if !errors.As(err, &refused) || refused.Op != "dial" {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
	}
	http.Error(w, "no replica is ready", http.StatusServiceUnavailable)
}

// forward copies an answer piece by piece, and breaks off where the replica did.
func forward(w http.ResponseWriter, response *http.Response) {
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	buffer := make([]byte, 32<<10)
	for {
		n, err := response.Body.Read(buffer)
		if _, failed := w.Write(buffer[:n]); failed != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler)
		}
	}
}

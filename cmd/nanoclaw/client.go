package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// client speaks to a server's API. It is safe for concurrent use.
type client struct {
	http    *http.Client
	silence time.Duration // after which a stream counts as dead
	pause   time.Duration // before the first attempt to reach a server again
	token   string        // for decisions, where the server cannot tell who asks
	access  string        // API token, of auth_mode multi; empty: none
	// locate, where it is not nil, is called after so many failed attempts in a row
	// to reach the server, and may find another one: see moveTo.
	locate func(ctx context.Context, failed int) error

	mu   sync.Mutex
	base string // such as http://127.0.0.1:8787
}

// requestTime bounds what is no stream of events.
const requestTime = 30 * time.Second

func newClient(base string) *client {
	return &client{base: reachable(base), silence: silence, pause: firstPause,
		http: &http.Client{Transport: &http.Transport{
			// and no proxy: the server is this machine
			DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		}}}
}

// address is where the server is.
func (c *client) address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base
}

// moveTo says that the server is somewhere else by now.
func (c *client) moveTo(base string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = reachable(base)
}

// reachable is the address under which a server that listens everywhere is reached.
func reachable(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	if address := net.ParseIP(u.Hostname()); address != nil && address.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u.String()
}

// authorize brings the API token, where there is one.
func (c *client) authorize(request *http.Request) {
	if c.access != "" {
		request.Header.Set("Authorization", "Bearer "+c.access)
	}
}

// apiError is a problem that the server answered.
type apiError struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Title  string `json:"title"`
	RunID  string `json:"run_id"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// first is what is wrong with the first field, without its name.
func (e *apiError) first() string {
	if len(e.Errors) > 0 {
		return e.Errors[0].Message
	}
	return e.Error()
}

func (e *apiError) Error() string {
	text := e.Detail
	if text == "" {
		text = strings.TrimSpace(fmt.Sprintf("the server answered %d %s", e.Status, e.Title))
	}
	if e.Status == http.StatusUnauthorized {
		text += ": set NANOCLAW_TOKEN to one that nanoclaw user token makes"
	}
	return text
}

// call sends a body as JSON, where there is one, and reads the answer into into,
// where that is not nil. What the server refuses is an *apiError.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address()+"/api/v1"+path, sent)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("X-Decision-Token", c.token)
	}
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer response.Body.Close()
	if err := refused(response); err != nil {
		return err
	}
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("read what the server answered to %s %s: %w", method, path, err)
	}
	return nil
}

// refused is the *apiError of an answer that is no success.
func refused(response *http.Response) error {
	if response.StatusCode < 300 {
		return nil
	}
	problem := &apiError{}
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && json.Unmarshal(body, problem) != nil {
		problem = &apiError{} // not the API's own words
	}
	problem.Status = response.StatusCode
	if problem.Title == "" {
		problem.Title = http.StatusText(response.StatusCode)
	}
	return problem
}

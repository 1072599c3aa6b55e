package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/process"
	"nanoclaw/internal/tools"
)

// maxMessage is the longest message that a server may send, in bytes.
const maxMessage = 16 << 20

// link is the way to a server: a program of ours, or HTTP.
type link struct {
	transport mcp.Transport
	process   *process.Process   // nil: HTTP
	hangUp    context.CancelFunc // of HTTP: ends every request
}

// dial starts the server's program, or readies the way to its address.
func (s *session) dial() (*link, error) {
	if s.server.config.URL != "" {
		handler, err := s.authorizer()
		if err != nil {
			return nil, err
		}
		return dialHTTP(s.server.config, handler)
	}
	return s.server.startProgram()
}

func (s *server) startProgram() (*link, error) {
	env := make(map[string]string, len(s.config.Env))
	for name, value := range s.config.Env {
		env[name] = value.Reveal()
	}
	started, err := process.Start(process.Spec{
		Command: s.config.Command, Args: s.config.Args, Env: env,
		Stderr: func(line string) {
			line = s.servers.Redact(line)
			s.log.add(tools.MCPLogStderr, line)
			s.servers.Logger.Info("an MCP server says", "server", s.name, "line", line)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("start the MCP server %s: %w", s.name, err)
	}
	talk := newMessageLines(started.Stdout, func(line string) {
		line = s.servers.Redact(line)
		s.log.add(tools.MCPLogStdout, line)
		s.servers.Logger.Info("an MCP server prints what is no message", "server", s.name, "line", line)
	})
	return &link{
		transport: &mcp.IOTransport{Reader: talk, Writer: started.Stdin, MaxLineLength: maxMessage},
		process:   started,
	}, nil
}

func dialHTTP(c config.MCPServer, handler auth.OAuthHandler) (*link, error) {
	endpoint, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the MCP server cannot be read: %w", err)
	}
	headers := http.Header{}
	for name, value := range c.Headers {
		headers.Set(name, value.Reveal())
	}
	ctx, hangUp := context.WithCancel(context.Background())
	base := http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{
		Transport: &headerTransport{base: base, origin: endpoint, headers: headers, ctx: ctx},
		CheckRedirect: func(request *http.Request, _ []*http.Request) error {
			return fmt.Errorf("the MCP server redirects to %s: write that address into config.yml if it is right",
				request.URL.Redacted())
		},
	}
	return &link{
		transport: &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: client, MaxEventSize: maxMessage,
			OAuthHandler: handler},
		hangUp: func() { hangUp(); base.CloseIdleConnections() },
	}, nil
}

// abandon makes whoever waits for the server give up.
func (l *link) abandon() {
	if l.process != nil {
		// Closed twice is closed.
		_ = l.process.Stdout.Close()
		return
	}
	l.hangUp()
}

// close ends the program, or every request, and waits for it.
func (l *link) close() {
	if l.process != nil {
		l.process.Stop(stopGrace)
		return
	}
	l.hangUp()
}

// headerTransport adds the configured headers to requests to the configured host,
// and bounds what comes back.
type headerTransport struct {
	base    http.RoundTripper
	origin  *url.URL
	headers http.Header
	ctx     context.Context // ends every request
}

func (t *headerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	release := func() { stop(); cancel() }
	request = request.Clone(ctx)
	if request.URL.Scheme == t.origin.Scheme && request.URL.Host == t.origin.Host {
		for name, values := range t.headers {
			request.Header[name] = values
		}
	}
	response, err := t.base.RoundTrip(request)
	if err != nil {
		release()
		return nil, err
	}
	body := &boundedBody{ReadCloser: response.Body, left: maxMessage, release: release}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		body.left = -1 // a stream may go on for ever; each of its events is bounded by its reader
	}
	response.Body = body
	return response, nil
}

// boundedBody is an answer that may not be longer than left bytes (negative: it may).
type boundedBody struct {
	io.ReadCloser
	left    int
	release func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left >= 0 {
		if b.left -= n; b.left < 0 {
			return 0, fmt.Errorf("the answer is longer than %d bytes", maxMessage)
		}
	}
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP is a Model Context Protocol server on standard input and output: a bridge to
// /mcp of the server that owns the data, or of one in this process.
func (p *program) serveMCP(ctx context.Context, args []string) (err error) {
	set := p.flags(
		"mcp",
		"mcp [FLAGS]",
		"Speaks the Model Context Protocol on standard input and output, for a client "+
			"that starts this program.",
	)
	source := p.source(set)
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	server, err := p.connect(ctx, *source, "", p.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := (&mcp.IOTransport{Reader: io.NopCloser(p.stdin), Writer: keepOpen{p.stdout}}).Connect(ctx)
	if err != nil {
		return fmt.Errorf("speak on standard input: %w", err)
	}
	token, _ := p.env("NANOCLAW_TOKEN")
	api, err := (&mcp.StreamableClientTransport{Endpoint: server.url + "/mcp", DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: authorized(token)}}).Connect(ctx)
	if err != nil {
		return fmt.Errorf("reach %s/mcp: %w", server.url, err)
	}
	ended := make(chan error, 2)
	go func() { ended <- pump(ctx, client, api) }()
	go func() { ended <- pump(ctx, api, client) }()
	err = <-ended
	cancel()
	_ = api.Close()    // the other pump ends with it
	_ = client.Close() // standard input may stay open: nobody waits for it
	if errors.Is(err, io.EOF) || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// authorized brings the API token with each request.
type authorized string

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	(&client{access: string(a)}).authorize(r)
	return http.DefaultTransport.RoundTrip(r)
}

// pump carries messages until one side ends. A request that the other side refuses is
// answered with its error, and the others go on.
func pump(ctx context.Context, from, to mcp.Connection) error {
	for {
		message, err := from.Read(ctx)
		if err != nil {
			return err
		}
		err = to.Write(ctx, message)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) {
			err = nil
			if request, is := message.(*jsonrpc.Request); is && request.IsCall() {
				err = from.Write(ctx, &jsonrpc.Response{ID: request.ID,
					Error: &jsonrpc.Error{Code: refused.Code, Message: refused.Message, Data: refused.Data}})
			}
		}
		if err != nil {
			return err
		}
	}
}

// keepOpen leaves the program's own output open.
type keepOpen struct{ io.Writer }

// Close implements io.Closer.
func (keepOpen) Close() error { return nil }

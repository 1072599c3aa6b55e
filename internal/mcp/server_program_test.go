package mcp

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
)

// programMode makes this test binary an MCP server over stdio.
const programMode = "NANOCLAW_TEST_MCP"

func TestMain(m *testing.M) {
	switch os.Getenv(programMode) {
	case "":
		os.Exit(m.Run())
	case "broken":
		fmt.Fprintln(os.Stderr, "no such option: --token=sk-very-secret")
		os.Exit(2)
	case "chatty":
		fmt.Println("Test server 1.0 is starting")
		fmt.Println(`{"level":"info","msg":"listening"}`)
	}
	server := newTestServer(nil, askingOptions(os.Getenv(programMode)))
	switch os.Getenv(programMode) {
	case "resources":
		addResources(server)
	case "prompts":
		addPrompt(server)
	case "asking", "asking-legacy":
		addAsking(server)
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// addResources gives a server a resource and a template.
func addResources(server *mcp.Server) {
	server.AddResource(&mcp.Resource{URI: "test://note", Name: "note", Description: "a note", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://note",
				MIMEType: "text/plain", Text: "remember the milk"}}}, nil
		})
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://day/{date}", Name: "day"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI,
				Blob: []byte(r.Params.URI)}}}, nil
		})
}

// addPrompt gives a server a prompt with a text and an image.
func addPrompt(server *mcp.Server) {
	file := &mcp.PromptArgument{Name: "file", Description: "what to read", Required: true}
	server.AddPrompt(&mcp.Prompt{Name: "review/code", Description: "a review", Arguments: []*mcp.PromptArgument{file}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: "review " + r.Params.Arguments["file"]}},
				{Role: "assistant", Content: &mcp.ImageContent{MIMEType: "image/png", Data: []byte("x")}},
			}}, nil
		})
}

// program is this test binary as a server.
func program(mode string) config.MCPServer {
	return config.MCPServer{
		Command: os.Args[0],
		Env:     map[string]config.Secret{programMode: config.Secret(mode), "GIVEN": "yes"},
		Timeout: config.Duration(time.Minute),
	}
}

type (
	echoArgs struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	slowArgs struct {
		Path string `json:"path,omitempty"`
	}
	environment struct {
		Names []string `json:"names"`
	}
)

// newTestServer is a server with tools of every kind. cancelled is told when the
// tool slow was cancelled; nil: nobody is.
func newTestServer(cancelled chan<- struct{}, options *mcp.ServerOptions) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, options)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "say it again",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, args echoArgs) (*mcp.CallToolResult, any, error) {
			if os.Getenv(programMode) == "chatty" {
				fmt.Println("echo was called")
			}
			return text("you said " + args.Text), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "slow", Description: "report, and wait for the end"},
		func(ctx context.Context, r *mcp.CallToolRequest, args slowArgs) (*mcp.CallToolResult, any, error) {
			note := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 4,
				Message: "a quarter is done"}
			if err := r.Session.NotifyProgress(ctx, note); err != nil {
				return nil, nil, err
			}
			<-ctx.Done()
			if cancelled != nil {
				cancelled <- struct{}{}
			}
			return nil, nil, ctx.Err()
		})
	mcp.AddTool(server, &mcp.Tool{Name: "picture", Description: "an image and a resource"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: "here:"},
				&mcp.ImageContent{MIMEType: "image/png", Data: []byte("small image")},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://note", MIMEType: "text/plain",
					Text: "a note"}},
				&mcp.ResourceLink{URI: "test://big", Name: "big"},
				&mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, 200<<10)},
			}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "fail", Description: "it always fails"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, fmt.Errorf("the disk is full")
		})
	mcp.AddTool(server, &mcp.Tool{Name: "environment", Description: "what it sees",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, environment, error) {
			return nil, environment{Names: os.Environ()}, nil
		})
	for _, name := range []string{"die", "die_reading"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "end the server",
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "die_reading"}},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(3)
				return nil, nil, nil
			})
	}
	mcp.AddTool(server, &mcp.Tool{Name: "grow", Description: "add a tool and remove fail"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			mcp.AddTool(server, &mcp.Tool{Name: "grown", Description: "it is new"},
				func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return text("fresh"), nil, nil
				})
			server.RemoveTools("fail")
			return text("done"), nil, nil
		})
	for _, name := range []string{"same.name", "same_name"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "one of two"},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return text(name), nil, nil
			})
	}
	server.AddTool(&mcp.Tool{Name: "odd", Description: "its schema is not ours to understand",
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": 7}}}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(string(r.Params.Arguments)), nil
		})
	return server
}

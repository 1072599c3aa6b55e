package chaos

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// outside is a server of another program whose only tool has an effect that can be counted.
type outside struct {
	*httptest.Server
	mu    sync.Mutex
	count map[string]int // calls, by their word
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{count: map[string]int{}}
	type arguments struct {
		Word string `json:"word"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "outside", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "Count a word."},
		func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.count[a.Word]++
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted " + a.Word}}}, nil, nil
		})
	o.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		o.CloseClientConnections()
		o.Close()
	})
	return o
}

func (o *outside) times(word string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count[word]
}

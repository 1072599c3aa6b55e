package mcp

//lint:file-ignore SA1019 sampling is deprecated since protocol 2026-07-28, but servers use it and the protocol keeps it

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// legacyVersion is a protocol in which a server asks by requests of its own; since
// then a call comes back with its questions.
const legacyVersion = "2025-11-25"

// askingOptions are those of the test program that asks.
func askingOptions(mode string) *mcp.ServerOptions {
	if mode == "asking-legacy" {
		return &mcp.ServerOptions{SupportedProtocolVersions: []string{legacyVersion}}
	}
	return nil
}

var bookingSchema = json.RawMessage(`{"type":"object","required":["name"],"properties":{
	"name":{"type":"string","minLength":2,"description":"who travels"},
	"seats":{"type":"integer","minimum":1,"default":1},"class":{"type":"string","enum":["first","second"]}}}`)

// addAsking gives a server tools that ask in the middle of their calls. The tool's
// text is what it was answered.
func addAsking(server *mcp.Server) {
	ask := func(name string, question mcp.InputRequest) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "it asks"},
			func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				answer := r.Params.InputResponses["it"]
				if answer == nil || name == "nag" {
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"it": question}, RequestState: "s"},
						nil, nil
				}
				text, err := json.Marshal(answer)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, err
			})
	}
	ask("book", &mcp.ElicitParams{Mode: "form", Message: "Whom for?", RequestedSchema: bookingSchema})
	ask("nag", &mcp.ElicitParams{Mode: "form", Message: "And now?"})
	ask("nested", &mcp.ElicitParams{Mode: "form", Message: "Who?",
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"who":{"type":"object","properties":{}}}}`)})
	ask("null", &mcp.ElicitParams{Mode: "form", Message: "Who?",
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"a":null}}`)})
	ask("open", &mcp.ElicitParams{Mode: "url", URL: "https://example.com", ElicitationID: "1", Message: "Log in"})
	ask("think", &mcp.CreateMessageWithToolsParams{MaxTokens: 50, SystemPrompt: "Be brief.",
		Messages: []*mcp.SamplingMessageV2{{Role: "user",
			Content: []mcp.Content{&mcp.TextContent{Text: "what is up?"}}}}})
	ask("look", &mcp.CreateMessageWithToolsParams{MaxTokens: 50,
		Messages: []*mcp.SamplingMessageV2{{Role: "user",
			Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("x")}}}}})
}

// folk is a person and a model that answer at once.
type folk struct {
	written map[string]any
	refusal string

	mu      sync.Mutex
	forms   []Form
	samples []Sampling
	calls   []tools.Call
}

func (f *folk) Fill(_ context.Context, call tools.Call, form Form) (map[string]any, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forms, f.calls = append(f.forms, form), append(f.calls, call)
	if f.refusal != "" {
		return nil, f.refusal
	}
	content, err := form.Fill(f.written)
	if err != nil {
		return nil, err.Error()
	}
	return content, ""
}

func (f *folk) Sample(_ context.Context, call tools.Call, request Sampling) (Sampled, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.samples, f.calls = append(f.samples, request), append(f.calls, call)
	if f.refusal != "" {
		return Sampled{}, errors.New(f.refusal)
	}
	return Sampled{Text: "not much", Model: "m-1", CutOff: true}, nil
}

// askingWorlds are worlds with a program that asks, in both protocols.
func askingWorlds(t *testing.T, people People, test func(t *testing.T, w *world)) {
	for _, mode := range []string{"asking", "asking-legacy"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.servers.People = people
			w.apply(map[string]config.MCPServer{"travel": program(mode)})
			w.ready("travel")
			test(t, w)
		})
	}
}

var chatCall = tools.Call{ID: "c", RunID: "r", RootRunID: "r", ConversationID: "v", UserID: "u"}

// TL4: a server asks a person in the middle of a call: its form is filled in and
// checked, and the tool goes on with the answer.
func TestAServerAsksAPersonInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	askingWorlds(t, &folk{written: map[string]any{"name": "Ada"}}, func(t *testing.T, w *world) {
		got := w.call(t.Context(), "mcp__travel__book", chatCall, map[string]any{})
		if !got.Success || !strings.Contains(got.text(), `"accept"`) || !strings.Contains(got.text(), `"name":"Ada"`) ||
			!strings.Contains(got.text(), `"seats":1`) {
			t.Errorf("answered: %+v", got)
		}
	})
}

// TL4: what a person sees of a form, and what cannot be filled in.
func TestAFormIsShownAndChecked(t *testing.T) {
	t.Parallel()
	people := &folk{refusal: "not today"}
	w := newWorld(t)
	w.servers.People = people
	w.apply(map[string]config.MCPServer{"travel": program("asking")})
	w.ready("travel")
	if got := w.call(t.Context(), "mcp__travel__book", chatCall, nil); !strings.Contains(got.text(), `"decline"`) ||
		!strings.Contains(got.text(), "not today") {
		t.Errorf("refused: %+v", got)
	}
	form := people.forms[0]
	if form.Server != "travel" || form.Message != "Whom for?" || !strings.Contains(form.Fields, "who travels") ||
		people.calls[0].ConversationID != "v" {
		t.Errorf("asked %+v for %+v", form, people.calls[0])
	}
	if seats, there := form.Start["seats"]; !there || seats != 1.0 || form.Start["name"] != nil ||
		len(form.Start) != 3 {
		t.Errorf("the form begins as %v", form.Start)
	}
	for _, wrong := range []map[string]any{nil, {"name": "A"}, {"name": nil}, {"name": "Ada", "seats": 0},
		{"name": "Ada", "class": "third"}, {"name": "Ada", "nmae": "x"}} {
		if content, err := form.Fill(wrong); err == nil {
			t.Errorf("%v was taken as %v", wrong, content)
		}
	}
	if content, err := form.Fill(map[string]any{"name": "Ada", "seats": 2.0, "class": nil}); err != nil ||
		len(content) != 2 {
		t.Errorf("%v, %v", content, err)
	}
}

// TL4: a server asks the model through a person.
func TestAServerAsksTheModelThroughAPerson(t *testing.T) {
	t.Parallel()
	askingWorlds(t, &folk{}, func(t *testing.T, w *world) {
		got := w.call(t.Context(), "mcp__travel__think", chatCall, nil)
		if !got.Success || !strings.Contains(got.text(), "not much") || !strings.Contains(got.text(), "m-1") ||
			!strings.Contains(got.text(), "maxTokens") {
			t.Errorf("answered: %+v", got)
		}
	})
	askingWorlds(t, &folk{refusal: "a person refused it"}, func(t *testing.T, w *world) {
		if got := w.call(t.Context(), "mcp__travel__think", chatCall, nil); got.Success || !strings.Contains(got.Error,
			"a person refused it") {
			t.Errorf("refused: %+v", got)
		}
	})
}

// TL4: nobody is asked what cannot be answered, and the server stays usable.
func TestQuestionsThatCannotBeAskedAreRefused(t *testing.T) {
	t.Parallel()
	people := &folk{}
	w := newWorld(t)
	w.servers.People = people
	w.apply(map[string]config.MCPServer{"travel": program("asking")})
	w.ready("travel")
	for tool, want := range map[string]string{"nested": "holds other fields", "null": "has no schema",
		"look": "text only", "open": "opening an address is not supported"} {
		if got := w.call(t.Context(), "mcp__travel__"+tool, chatCall, nil); !strings.Contains(got.Error+got.text(),
			want) {
			t.Errorf("%s: %+v", tool, got)
		}
	}
	if got := w.call(t.Context(), "mcp__travel__book", tools.Call{ID: "c"}, nil); got.Success ||
		!strings.Contains(got.Error, "in a conversation only") {
		t.Errorf("outside a conversation: %+v", got)
	}
	if len(people.calls) != 0 {
		t.Errorf("people were asked: %+v", people.calls)
	}
	if got := w.call(t.Context(), "mcp__travel__nag", chatCall, nil); got.Success || !strings.Contains(got.Error,
		"10 times") {
		t.Errorf("a tool that never has enough: %+v", got)
	}
	if got := w.call(t.Context(), "mcp__travel__echo", chatCall, map[string]any{"text": "hi"}); !got.Success {
		t.Errorf("afterwards: %+v", got)
	}
}

// TL4: a server whose questions nobody answers is not told that it may ask.
func TestAServerIsToldWhatItMayAsk(t *testing.T) {
	t.Parallel()
	askingWorlds(t, nil, func(t *testing.T, w *world) {
		for _, tool := range []string{"book", "think"} {
			if got := w.call(t.Context(), "mcp__travel__"+tool, chatCall, nil); got.Success {
				t.Errorf("%s: %+v", tool, got)
			}
		}
	})
}

// TL4: with the older protocol it has to be clear whose call asks.
func TestAQuestionBelongsToACallUnderWay(t *testing.T) {
	t.Parallel()
	call := func(number int64, root string) *underWay {
		return &underWay{ctx: t.Context(), number: number, call: tools.Call{ID: root, RunID: root, RootRunID: root}}
	}
	for name, c := range map[string]struct {
		calls map[string]*underWay
		want  int64 // 0: none
	}{
		"none":                 {nil, 0},
		"the newest":           {map[string]*underWay{"1": call(1, "a"), "2": call(2, "a")}, 2},
		"of two conversations": {map[string]*underWay{"1": call(1, "a"), "2": call(2, "b")}, 0},
		"outside of a run":     {map[string]*underWay{"1": call(1, "")}, 0},
	} {
		one, err := (&session{calls: c.calls}).asker()
		if (err != nil) != (c.want == 0) || err == nil && one.number != c.want {
			t.Errorf("%s: %+v, %v", name, one, err)
		}
	}
}

// patient waits for the end of the call.
type patient struct{ asked, ended chan struct{} }

func (p patient) Fill(ctx context.Context, _ tools.Call, _ Form) (map[string]any, string) {
	close(p.asked)
	<-ctx.Done()
	close(p.ended)
	return nil, "it is over"
}

func (p patient) Sample(context.Context, tools.Call, Sampling) (Sampled, error) {
	return Sampled{}, errors.New("no")
}

// TL4: a question ends with its call.
func TestAQuestionOfAServerEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"asking", "asking-legacy"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := patient{make(chan struct{}), make(chan struct{})}
			w := newWorld(t)
			w.servers.People = p
			w.apply(map[string]config.MCPServer{"travel": program(mode)})
			w.ready("travel")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-p.asked
				cancel()
			}()
			if got := w.call(ctx, "mcp__travel__book", chatCall, nil); got.Success {
				t.Errorf("%+v", got)
			}
			<-p.ended
		})
	}
}

// TL4: a question that the library panics over is refused; it does not end this process.
func TestADamagedQuestionIsRefused(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]string{
		"no params":       ``,
		"a null":          `,"params":null`,
		"a field of null": `,"params":{"mode":"form","message":"x","requestedSchema":{"type":"object","properties":{"a":null}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses(t, `{"jsonrpc":"2.0","id":7,"method":"elicitation/create"`+params+`}`)
		})
	}
}

func refuses(t *testing.T, question string) {
	here, there := mcp.NewInMemoryTransports()
	raw, err := there.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		message, err := jsonrpc.DecodeMessage([]byte(text))
		if err == nil {
			err = raw.Write(t.Context(), message)
		}
		if err != nil {
			t.Error(err)
		}
	}
	answers := make(chan *jsonrpc.Response, 1)
	go func() { // a server by hand
		for {
			message, err := raw.Read(t.Context())
			if err != nil {
				return
			}
			switch m := message.(type) {
			case *jsonrpc.Response:
				answers <- m
			case *jsonrpc.Request:
				id, _ := json.Marshal(m.ID.Raw())
				switch m.Method {
				case "initialize":
					write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"protocolVersion":"` + legacyVersion +
						`","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)
				case "notifications/initialized":
					write(question)
				default:
					write(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":-32601,"message":"no"}}`)
				}
			}
		}
	}()
	options := &mcp.ClientOptions{}
	one := &session{server: &server{servers: New(Options{People: &folk{}})}}
	one.canAsk(options)
	client := mcp.NewClient(&mcp.Implementation{Name: "x", Version: "1"}, options)
	client.AddReceivingMiddleware(one.server.recovered)
	if _, err := client.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	if answer := <-answers; answer.Error == nil {
		t.Errorf("answered %+v", answer)
	}
}

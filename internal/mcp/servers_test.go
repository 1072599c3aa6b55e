package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// TS7: a server of the configuration puts its tools in the registry, with the
// effects that it declares or the configuration sets.
func TestToolsOfAServerAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := program("tools")
	one.Effects = map[string]string{"picture": "pure", "environment": "writes"}
	w.apply(map[string]config.MCPServer{"test": one})
	status := w.ready("test")
	for name, effect := range map[string]tools.EffectKind{
		"mcp__test__echo": tools.Writes, "mcp__test__slow": tools.Writes, "mcp__test__picture": tools.Pure,
		"mcp__test__environment": tools.Writes,
	} {
		tool, found := w.registry.Get(name)
		if !found || tool.Effect != effect || tool.Category != Category || !slices.Contains(status.Tools, name) {
			t.Errorf("%s: found %v, %+v", name, found, tool)
		}
	}
	tool, _ := w.registry.Get("mcp__test__echo")
	if parameters := string(tool.ToDefinition().Function.Parameters); !strings.Contains(parameters, "what to say") {
		t.Errorf("parameters %s", parameters)
	}
	if got := w.call(t.Context(), "mcp__test__echo", tools.Call{}, map[string]any{"text": "hello"}); !got.Success ||
		got.text() != "you said hello" {
		t.Errorf("echo answered %+v", got)
	}
	if got := w.call(t.Context(), "mcp__test__echo", tools.Call{}, nil); got.Code != tools.CodeInvalidArguments {
		t.Errorf("a call without its argument answered %+v", got)
	}
}

// G1: what a server says of its tools is a claim. It makes a tool laxer only where
// the configuration trusts it, and stricter always, unless the tool is configured by name.
func TestHintsOfAServerOnlyMakeAToolStricter(t *testing.T) {
	t.Parallel()
	yes := true
	reads, destroys := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
		&mcp.ToolAnnotations{DestructiveHint: &yes}
	for _, c := range []struct {
		name   string
		config config.MCPServer
		hints  *mcp.ToolAnnotations
		effect tools.EffectKind
	}{
		{"a hint is not believed", config.MCPServer{}, reads, tools.Writes},
		{"a hint of a trusted server is", config.MCPServer{TrustAnnotations: true}, reads, tools.Volatile},
		{"without a hint a tool writes", config.MCPServer{TrustAnnotations: true}, nil, tools.Writes},
		{"idempotent is not reading", config.MCPServer{TrustAnnotations: true},
			&mcp.ToolAnnotations{IdempotentHint: true}, tools.Writes},
		{"a destructive tool is not laxer for the wildcard", config.MCPServer{Effects: map[string]string{"*": "reads"}},
			destroys, tools.Writes},
		{"but for its name", config.MCPServer{Effects: map[string]string{"tool": "volatile"}}, destroys,
			tools.Volatile},
		{"the wildcard wins over trust", config.MCPServer{TrustAnnotations: true,
			Effects: map[string]string{"*": "writes"}}, reads, tools.Writes},
	} {
		one := &server{config: c.config}
		if got := one.effect(&mcp.Tool{Name: "tool", Annotations: c.hints}); got != c.effect {
			t.Errorf("%s: %s, want %s", c.name, got, c.effect)
		}
	}
}

// TG4: a tool whose description, schema or effect changes has another definition, by which standing
// approvals know it; one that is listed once more has the same.
func TestADefinitionIsOfAllThatAToolSaysOfItself(t *testing.T) {
	t.Parallel()
	definition := func(c config.MCPServer, description string, schema any) string {
		tool, _ := (&server{config: c}).makeTool("mcp__s__send",
			&mcp.Tool{Name: "send", Description: description, InputSchema: schema})
		return tool.Definition
	}
	one, two := map[string]any{"type": "object"}, map[string]any{"type": "object", "required": []string{"to"}}
	first := definition(config.MCPServer{}, "sends", one)
	if again := definition(config.MCPServer{}, "sends", one); again != first || first == "" {
		t.Errorf("%q, then %q", first, again)
	}
	for name, other := range map[string]string{
		"description": definition(config.MCPServer{}, "sends to all", one),
		"schema":      definition(config.MCPServer{}, "sends", two),
		"effect":      definition(config.MCPServer{Effects: map[string]string{"send": "reads"}}, "sends", one),
	} {
		if other == first {
			t.Errorf("another %s has the same definition", name)
		}
	}
}

// TS7: two tools that would have one name are a clear problem, not a silent loss;
// so is a schema that is not understood.
func TestProblemsOfToolsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.registry.Register(&tools.Tool{Name: "mcp__test__echo", Description: "somebody else's", Effect: tools.Pure,
		Run: w.nothing})
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	status := w.ready("test")
	if len(status.Problems) != 3 {
		t.Fatalf("problems %q", status.Problems)
	}
	for i, want := range []string{`the schema of "odd"`,
		`"same_name" is left out: it would be called mcp__test__same_name, as "same.name" already is`,
		"mcp__test__echo is left out"} {
		if !strings.Contains(status.Problems[i], want) {
			t.Errorf("problem %q, want %q", status.Problems[i], want)
		}
	}
	if got := w.call(t.Context(), "mcp__test__odd", tools.Call{},
		map[string]any{"n": "any"}); got.text() != `{"n":"any"}` {
		t.Errorf("a tool with an odd schema answered %+v", got)
	}
}

// TS7: the allow-list takes globs.
func TestOnlyAllowedToolsAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := program("tools")
	one.Tools = []string{"echo", "die*"}
	w.apply(map[string]config.MCPServer{"test": one})
	want := []string{"mcp__test__die", "mcp__test__die_reading", "mcp__test__echo"}
	if got := w.ready("test").Tools; !slices.Equal(got, want) || len(w.registry.List()) != 3 {
		t.Errorf("tools %v, want %v", got, want)
	}
}

// TS7 issue 10: images are kept outside of the output limit, other data within it;
// what has no room says so.
func TestImagesAndResourcesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	kept := &album{}
	located := &services.Locator{}
	services.Register[tools.ImageStore](located, tools.ImageStoreKey, kept)
	call := tools.Call{OutputLimit: 20 << 10, Services: located}
	executed := w.registry.Execute(t.Context(), "mcp__test__picture", call, nil)
	if images := executed.Data.(tools.Illustrated).Images(); !slices.Equal(images,
		[]tools.Image{{UploadID: "1", ContentType: "image/png", Size: 11}}) {
		t.Errorf("images %+v", images)
	}
	if len(kept.images) != 2 || string(kept.images[0]) != "small image" || len(kept.images[1]) != 200<<10 {
		t.Errorf("%d images were given to be kept", len(kept.images))
	}
	got := w.call(t.Context(), "mcp__test__picture", call, nil).Data.Content
	if len(got) != 5 {
		t.Fatalf("content %+v", got)
	}
	want := []content{
		{Type: "text", Text: "here:"},
		{Type: "image", MIMEType: "image/png", Image: 1, Size: 11},
		{Type: "resource", MIMEType: "text/plain", URI: "test://note", Text: "a note"},
		{Type: "resource_link", URI: "test://big", Name: "big"},
	}
	if !slices.Equal(got[:4], want) {
		t.Errorf("content %+v", got[:4])
	}
	if big := got[4]; big.Data != "" || big.Image != 0 || big.Size != 200<<10 || big.Omitted != "too large" {
		t.Errorf("the large image: %d bytes of data, %q", len(big.Data), big.Omitted)
	}
}

// album keeps small images.
type album struct{ images [][]byte }

func (a *album) KeepImages(_ context.Context, _ tools.Call, images [][]byte) []tools.KeptImage {
	a.images = images
	kept := make([]tools.KeptImage, len(images))
	for i, data := range images {
		if kept[i] = (tools.KeptImage{Omitted: "too large"}); len(data) < 1000 {
			kept[i] = tools.KeptImage{Image: tools.Image{UploadID: fmt.Sprint(i + 1), ContentType: "image/png",
				Size: int64(len(data))}}
		}
	}
	return kept
}

// TS7 TS3: what the server calls a failure is a failed call.
func TestAFailureOfTheServerIsAFailedCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	if got := w.call(t.Context(), "mcp__test__fail", tools.Call{}, nil); got.Success ||
		got.Error != "the disk is full" || got.Code != codeFailed {
		t.Errorf("fail answered %+v", got)
	}
}

// TS7: nothing of the server's own environment reaches an MCP server.
func TestAServersProgramSeesACleanEnvironment(t *testing.T) {
	t.Setenv("NANOCLAW_SECRET", "hidden")
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	got := w.call(t.Context(), "mcp__test__environment", tools.Call{}, nil)
	seen := got.Data.Structured.(map[string]any)["names"].([]any)
	if !slices.Contains(seen, any("GIVEN=yes")) || slices.Contains(seen, any("NANOCLAW_SECRET=hidden")) ||
		len(seen) > 5 {
		t.Errorf("environment %v", seen)
	}
	if len(got.Data.Content) != 0 {
		t.Errorf("the structured result is repeated: %+v", got.Data.Content)
	}
}

// TS7: progress reaches the call, and its cancellation the server, also over HTTP.
func TestProgressAndCancellationOverHTTP(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{}, 1)
	server := newTestServer(cancelled, nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-very-secret" {
			http.Error(rw, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(rw, r)
	}))
	w := newWorld(t)
	t.Cleanup(func() { w.servers.Close(); web.Close() })
	w.apply(map[string]config.MCPServer{"web": {URL: web.URL,
		Headers: map[string]config.Secret{"authorization": "Bearer sk-very-secret"}}})
	w.ready("web")
	testProgressAndCancellation(t, w, "mcp__web__slow")
	<-cancelled
}

// TS7: the same over stdio.
func TestProgressAndCancellationOverStdio(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	testProgressAndCancellation(t, w, "mcp__test__slow")
	// The server lives on.
	if got := w.call(t.Context(), "mcp__test__echo", tools.Call{},
		map[string]any{"text": "still"}); got.text() != "you said still" {
		t.Errorf("echo answered %+v", got)
	}
}

func testProgressAndCancellation(t *testing.T, w *world, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var message string
	var fraction float64
	call := tools.Call{Progress: func(m string, f float64) { message, fraction = m, f; cancel() }}
	got := w.call(ctx, name, call, nil)
	if got.Code != tools.CodeCancelled || message != "a quarter is done" || fraction != 0.25 {
		t.Errorf("answered %+v after %q %v", got, message, fraction)
	}
}

// TS7: a changed list is followed.
func TestAChangedListIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	if got := w.call(t.Context(), "mcp__test__grow", tools.Call{}, nil); got.text() != "done" {
		t.Fatalf("grow answered %+v", got)
	}
	w.await("test", "grown", func(s tools.MCPServerStatus) bool {
		return slices.Contains(s.Tools, "mcp__test__grown") && !slices.Contains(s.Tools, "mcp__test__fail")
	})
	if got := w.call(t.Context(), "mcp__test__grown", tools.Call{}, nil); got.text() != "fresh" {
		t.Errorf("grown answered %+v", got)
	}
}

// TS7: a server that dies in the middle of a call fails that call with what is
// known, and is started again. Nobody repeats a call that may have had its effect.
func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := program("tools")
	one.TrustAnnotations = true // die_reading says that it reads
	w.apply(map[string]config.MCPServer{"test": one})
	w.ready("test")
	for name, code := range map[string]string{"mcp__test__die": tools.CodeOutcomeUnknown,
		"mcp__test__die_reading": tools.CodeUnavailable} {
		got := w.call(t.Context(), name, tools.Call{}, nil)
		if got.Code != code || !strings.Contains(got.Error, "exit status 3: out of memory") {
			t.Errorf("%s answered %+v", name, got)
		}
		w.await("test", "back", func(s tools.MCPServerStatus) bool {
			return s.State == tools.MCPReady && w.call(t.Context(), "mcp__test__echo", tools.Call{},
				map[string]any{"text": "x"}).Success
		})
	}
}

// TS7: a server that cannot be started delays nobody and says what is wrong, with
// its secrets covered.
func TestAServerThatCannotBeStartedSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"broken": program("broken"),
		"missing": {Command: "no-such-program-of-nanoclaw"}, "test": program("tools")})
	w.ready("test")
	restarting := func(s tools.MCPServerStatus) bool { return s.State == tools.MCPRestarting }
	if got := w.await("broken", "tried", restarting); !strings.Contains(got.Error,
		"exit status 2: no such option: --token=[REDACTED]") {
		t.Errorf("broken: %q", got.Error)
	}
	if got := w.await("missing", "tried", restarting); !strings.Contains(got.Error, "was not found in PATH") {
		t.Errorf("missing: %q", got.Error)
	}
}

// F18: a person restarts a server that runs, and reads what it said before and after.
func TestAServerIsRestartedAndKeepsItsLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"test": program("tools"), "broken": program("broken")})
	before := w.ready("test").Since
	if w.servers.Restart("nobody") || !w.servers.Restart("test") {
		t.Error("the wrong servers were restarted")
	}
	w.await("test", "back", func(s tools.MCPServerStatus) bool {
		return s.State == tools.MCPReady && s.Since.After(before)
	})
	if got := w.call(t.Context(), "mcp__test__echo", tools.Call{}, map[string]any{"text": "x"}); !got.Success {
		t.Errorf("echo answered %+v", got)
	}
	lines, known := w.servers.Log("test")
	var texts []string
	for _, line := range lines {
		texts = append(texts, line.Text)
	}
	said := strings.Join(texts, "\n")
	if !known || strings.Count(said, "ready with") != 2 || strings.Count(said, "restarted by a person") != 1 {
		t.Errorf("the log is %q", said)
	}
	w.await("broken", "tried", func(s tools.MCPServerStatus) bool { return s.State == tools.MCPRestarting })
	lines, _ = w.servers.Log("broken")
	if len(lines) < 2 || lines[0].Kind != tools.MCPLogStderr || !strings.Contains(lines[0].Text, "--token=[REDACTED]") {
		t.Errorf("the log is %+v", lines)
	}
	if _, known := w.servers.Log("nobody"); known {
		t.Error("there is a log of nobody")
	}
}

func TestALogKeepsItsNewestLines(t *testing.T) {
	t.Parallel()
	var log serverLog
	for i := range keptLines + 10 {
		log.add(tools.MCPLogStderr, fmt.Sprint(i))
	}
	if len(log.lines) != keptLines || log.lines[0].Text != "10" || log.lines[keptLines-1].Text != fmt.Sprint(keptLines+9) {
		t.Errorf("%d lines from %q to %q", len(log.lines), log.lines[0].Text, log.lines[len(log.lines)-1].Text)
	}
}

// TS7: tools of a server that is away stay in the list and say so.
func TestToolsOfAServerThatIsAwaySaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.servers.FirstPause, w.servers.LongestPause = 1<<40, 1<<40
	w.apply(map[string]config.MCPServer{"test": program("tools")})
	w.ready("test")
	w.call(t.Context(), "mcp__test__die", tools.Call{}, nil)
	w.await("test", "away", func(s tools.MCPServerStatus) bool {
		return s.State == tools.MCPRestarting &&
			len(s.Tools) > 0
	})
	got := w.call(t.Context(), "mcp__test__echo", tools.Call{}, map[string]any{"text": "x"})
	if got.Code != tools.CodeUnavailable || !strings.Contains(got.Error, `the MCP server "test" is not running`) ||
		!strings.Contains(got.Error, "out of memory") || !strings.Contains(got.Error, "started again in") {
		t.Errorf("echo answered %+v", got)
	}
}

// TS7 CF2: a new configuration adds, removes and changes servers.
func TestAConfigurationIsPutInForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"a": program("tools"), "b": program("tools")})
	w.ready("a")
	w.ready("b")
	held, _ := w.registry.Get("mcp__b__echo")
	narrower := program("tools")
	narrower.Tools = []string{"echo"}
	w.apply(map[string]config.MCPServer{"a": narrower, "c": program("tools")})
	if _, found := w.registry.Get("mcp__b__echo"); found {
		t.Error("a tool of a server that is gone is still there")
	}
	if _, found := w.registry.Get("mcp__a__die"); found {
		t.Error("a tool that is not allowed any more is still there")
	}
	if _, err := held.Run(t.Context(), tools.Call{},
		[]byte(`{"text":"x"}`)); tools.CodeOf(err) != tools.CodeUnavailable || !strings.Contains(err.Error(),
		"no longer configured") {
		t.Errorf("a call of a tool that is gone: %v", err)
	}
	if got := w.ready("a").Tools; !slices.Equal(got, []string{"mcp__a__echo"}) {
		t.Errorf("tools of the changed server: %v", got)
	}
	w.ready("c")
	w.servers.Close()
	if left := w.registry.List(); len(left) != 0 {
		t.Errorf("%d tools are left", len(left))
	}
	w.apply(map[string]config.MCPServer{"late": program("tools")})
	if len(w.servers.Status()) != 0 {
		t.Error("closed servers start servers")
	}
}

// TS7: headers with secrets go to the configured address only.
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %v", r.Header)
	}))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"web": {URL: web.URL,
		Headers: map[string]config.Secret{"X-Key": "sk-very-secret"}}})
	got := w.await("web", "tried", func(s tools.MCPServerStatus) bool { return s.State == tools.MCPRestarting })
	if !strings.Contains(got.Error, "redirects to") {
		t.Errorf("error %q", got.Error)
	}
}

// TS7: an HTTP server that goes away is noticed by the next call, and found again.
func TestAServerOverHTTPIsFoundAgain(t *testing.T) {
	t.Parallel()
	server := newTestServer(nil, nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	away := make(chan bool, 1)
	away <- false
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		gone := <-away
		away <- gone
		if gone {
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(rw, r)
	}))
	w := newWorld(t)
	t.Cleanup(func() { w.servers.Close(); web.Close() })
	w.apply(map[string]config.MCPServer{"web": {URL: web.URL, TrustAnnotations: true}})
	w.ready("web")
	<-away
	away <- true
	if got := w.call(t.Context(), "mcp__web__echo", tools.Call{},
		map[string]any{"text": "x"}); got.Code != tools.CodeUnavailable {
		t.Errorf("a call of a server that is away answered %+v", got)
	}
	w.await("web", "away", func(s tools.MCPServerStatus) bool { return s.State == tools.MCPRestarting })
	<-away
	away <- false
	w.ready("web")
	if got := w.call(t.Context(), "mcp__web__echo", tools.Call{}, map[string]any{"text": "x"}); !got.Success {
		t.Errorf("echo answered %+v", got)
	}
}

func (w *world) nothing(context.Context, tools.Call, json.RawMessage) (any, error) {
	return nil, errors.New("not to be called")
}

package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// document is what the test reads of the OpenAPI document.
type document struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]json.RawMessage }
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Parameters  []struct{ Name, In string }
	Responses   map[string]json.RawMessage
}

func readDocument(t testing.TB, h *house) document {
	t.Helper()
	a := h.do("GET", "/api/v1/openapi.json", nil).is(200)
	if got := a.header.Get("Content-Type"); got != "application/openapi+json" {
		t.Errorf("content type %q", got)
	}
	return into[document](a)
}

// Every route of the API is in the document, and everything in it is a route.
func TestTheDocumentAndTheRoutesAreTheSame(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var routes []string
	for _, r := range h.server.echo.Routes() {
		path, isAPI := strings.CutPrefix(r.Path, basePath)
		isAPI = isAPI && h.server.mountOf(r.Path) == nil // other protocols have documents of their own
		if isAPI && r.Method != http.MethodHead && r.Method != "echo_route_not_found" {
			routes = append(routes, r.Method+" "+path)
		}
	}
	doc := readDocument(t, h)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("it is OpenAPI %s", doc.OpenAPI)
	}
	var documented []string
	for path, methods := range doc.Paths {
		route := strings.NewReplacer("{path}", "*", "{", ":", "}", "").Replace(path)
		for method, o := range methods {
			documented = append(documented, strings.ToUpper(method)+" "+route)
			if o.OperationID == "" || o.Summary == "" {
				t.Errorf("%s %s has no id or no summary", method, path)
			}
			if o.Responses["default"] == nil {
				t.Errorf("%s %s does not tell of errors", method, path)
			}
			for status, response := range o.Responses {
				var headers struct{ Headers map[string]json.RawMessage }
				if err := json.Unmarshal(response, &headers); err != nil {
					t.Fatal(err)
				}
				if headers.Headers["Content-Type"] != nil {
					t.Errorf("%s %s %s documents Content-Type as a header beside its content", method, path, status)
				}
			}
			for _, p := range o.Parameters {
				if p.Name == "Accept" {
					t.Errorf("%s %s documents Accept", method, path)
				}
			}
			for segment := range strings.SplitSeq(path, "/") {
				name := strings.Trim(segment, "{}")
				if name != segment && !slices.ContainsFunc(o.Parameters,
					func(p struct{ Name, In string }) bool { return p.Name == name && p.In == "path" }) {
					t.Errorf("%s %s does not describe %s", method, path, name)
				}
			}
		}
	}
	sort.Strings(routes)
	sort.Strings(documented)
	if !slices.Equal(routes, documented) {
		t.Errorf("routes\n%s\ndocumented\n%s", strings.Join(routes, "\n"), strings.Join(documented, "\n"))
	}
	if len(documented) < 40 {
		t.Errorf("only %d routes", len(documented))
	}
}

// The routes of the contract are there under their names.
func TestTheContractsRoutesAreDocumented(t *testing.T) {
	t.Parallel()
	doc := readDocument(t, newHouse(t))
	for _, route := range []string{
		"get /models", "get /tools", "get /mcp", "get /agents", "get /projects", "post /projects", "get /projects/{id}",
		"patch /projects/{id}",
		"delete /projects/{id}", "get /projects/{id}/files", "get /projects/{id}/files/{path}",
		"put /projects/{id}/files/{path}",
		"delete /projects/{id}/files/{path}", "post /projects/{id}/move", "post /projects/{id}/directories",
		"post /projects/{id}/search",
		"post /projects/{id}/upload", "get /projects/{id}/archive", "get /conversations", "post /conversations",
		"get /conversations/{id}",
		"patch /conversations/{id}", "delete /conversations/{id}", "get /conversations/{id}/messages",
		"delete /conversations/{id}/messages/{mid}",
		"get /conversations/{id}/export", "post /conversations/import", "post /uploads",
		"post /conversations/{id}/runs",
		"post /messages/{mid}/regenerate", "get /runs/{id}", "post /runs/{id}/cancel", "get /runs/{id}/events",
		"get /conversations/{id}/events",
		"get /events", "get /audit", "get /usage", "get /config", "put /config",
	} {
		method, path, _ := strings.Cut(route, " ")
		if _, there := doc.Paths[path][method]; !there {
			t.Errorf("%s is missing", route)
		}
	}
}

// Every $ref leads somewhere, and what is null before something happened says so.
func TestTheDocumentsSchemasHoldTogether(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := readDocument(t, h)
	text := h.do("GET", "/api/v1/openapi.json", nil).body
	for part := range strings.SplitSeq(text, `"$ref":"#/components/schemas/`) {
		name, _, _ := strings.Cut(part, `"`)
		if part != text[:len(part)] && doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %q", name)
		}
	}
	for _, name := range []string{"Run", "Message", "ToolCall", "Conversation", "Project", "Problem", "Event",
		"Snapshot"} {
		if doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %q", name)
		}
	}
	run := string(doc.Components.Schemas["Run"])
	if !strings.Contains(run, `"finished_at":{"format":"date-time","type":["string","null"]}`) || !strings.Contains(run,
		`"created_at":{"format":"date-time","type":"string"}`) {
		t.Errorf("times of a run: %s", run)
	}
	if yaml := h.do("GET", "/api/v1/openapi.yaml", nil).is(200).body; !strings.Contains(yaml, "openapi: 3.1") {
		t.Errorf("the YAML begins %.100q", yaml)
	}
}

// BenchmarkNew is a part of the cold start.
func BenchmarkNew(b *testing.B) {
	h := newHouse(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(h.server.Options); err != nil {
			b.Fatal(err)
		}
	}
}

// The events of a real turn have the fields that the document says, and no others.
func TestTheEventsAreAsTheDocumentDescribesThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Steps(llmtest.Calls(llmtest.Call{Name: "echo",
		Arguments: `{"text":"x"}`}).WithThinking("hm"), llmtest.Text("done"))
	c := h.newConversation(m{})
	watch := h.watch("/api/v1/conversations/" + c.ID + "/events")
	events := append([]event{watch.next()}, h.say(c.ID, "go")...)
	h.do("PATCH", "/api/v1/conversations/"+c.ID, m{"pinned": true}).is(200)
	for e := watch.next(); ; e = watch.next() {
		if e.kind == "conversation.updated" {
			events = append(events, e)
			break
		}
	}
	schemas := readDocument(t, h).Components.Schemas
	checked := map[string]bool{}
	for _, e := range events {
		contractOf(t, h).holdsEvent(t, e.kind, e.data)
		var schema struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(schemas[eventSchemaName(e.kind)], &schema); err != nil {
			t.Fatalf("%s: %v", e.kind, err)
		}
		var data map[string]json.RawMessage
		if err := json.Unmarshal([]byte(e.data), &data); err != nil {
			t.Fatal(err)
		}
		for field := range data {
			if schema.Properties[field] == nil {
				t.Errorf("%s has %s, which is not documented", e.kind, field)
			}
		}
		for _, field := range schema.Required {
			if data[field] == nil {
				t.Errorf("%s lacks %s, which is required", e.kind, field)
			}
		}
		checked[e.kind] = true
	}
	if len(checked) < 11 {
		t.Errorf("only %d types were seen", len(checked))
	}
}

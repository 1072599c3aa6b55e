package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// contract is the served document, against which the tests' answers are held.
type contract struct {
	operations map[string]map[string]json.RawMessage // "GET /route" → responses by status
	schemas    map[string]json.RawMessage
	mu         sync.Mutex
	resolved   map[string]*jsonschema.Resolved // by the schema's text
}

var contracts sync.Map // by the text of the document

func contractOf(t testing.TB, h *house) *contract {
	t.Helper()
	text := h.document()
	if known, ok := contracts.Load(text); ok {
		return known.(*contract)
	}
	var doc document
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	c := &contract{operations: map[string]map[string]json.RawMessage{}, schemas: doc.Components.Schemas,
		resolved: map[string]*jsonschema.Resolved{}}
	for path, methods := range doc.Paths {
		route := basePath + strings.NewReplacer("{path}", "*", "{", ":", "}", "").Replace(path)
		for method, o := range methods {
			c.operations[strings.ToUpper(method)+" "+route] = o.Responses
		}
	}
	known, _ := contracts.LoadOrStore(text, c)
	return known.(*contract)
}

// document is the text of the OpenAPI document, read once per server.
func (h *house) document() string {
	h.readDocument.Do(func() {
		response, err := http.Get(h.web.URL + basePath + "/openapi.json")
		if err != nil {
			h.t.Fatal(err)
		}
		h.documentText = answeredText(h.t, response)
	})
	return h.documentText
}

// holds fails the test where an answer is not what the document says of its operation.
func (c *contract) holds(t testing.TB, method, route, status, contentType, body string) {
	t.Helper()
	responses, known := c.operations[method+" "+route]
	if !known {
		return
	}
	media, _, _ := strings.Cut(contentType, ";")
	if method == http.MethodPost && media == eventStream {
		return // asked for by Accept: in the operation's description, for which generators have no form
	}
	described, ok := responses[status]
	if !ok {
		if status < "4" {
			t.Errorf("%s %s answers %s, which the document does not name", method, route, status)
			return
		}
		described = responses["default"]
	}
	var response struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	if err := json.Unmarshal(described, &response); err != nil {
		t.Error(err)
		return
	}
	content, ok := response.Content[media]
	if _, any := response.Content[anyType]; any || body == "" {
		return
	}
	if !ok {
		t.Errorf("%s %s answers %s with %s, which the document does not name", method, route, status, media)
		return
	}
	if !(media == "application/json" || strings.HasSuffix(media, "+json")) || strings.Contains(route, "openapi") {
		return // events, texts, archives
	}
	c.matches(t, method+" "+route+" "+status, content.Schema, body)
}

// matches holds JSON against a schema of the document.
func (c *contract) matches(t testing.TB, what string, schema json.RawMessage, body string) {
	t.Helper()
	c.mu.Lock()
	resolved := c.resolved[string(schema)]
	if resolved == nil {
		whole, err := json.Marshal(map[string]any{"allOf": []json.RawMessage{schema}, "$defs": c.schemas})
		var root jsonschema.Schema
		if err == nil {
			err = json.Unmarshal([]byte(strings.ReplaceAll(string(whole), `"#/components/schemas/`, `"#/$defs/`)),
				&root)
		}
		if err == nil {
			resolved, err = root.Resolve(nil)
		}
		if err != nil {
			c.mu.Unlock()
			t.Errorf("the schema of %s: %v", what, err)
			return
		}
		c.resolved[string(schema)] = resolved
	}
	c.mu.Unlock()
	var value any
	err := json.Unmarshal([]byte(body), &value)
	if err == nil {
		err = resolved.Validate(value)
	}
	if err != nil {
		t.Errorf("%s is not as the document says: %v\n%.2000s", what, err, body)
	}
}

// holdsEvent holds an event's data against its schema.
func (c *contract) holdsEvent(t testing.TB, kind, data string) {
	t.Helper()
	c.matches(t, kind, json.RawMessage(`{"$ref":"#/components/schemas/`+eventSchemaName(kind)+`"}`), data)
}

// Issue 10: the check itself sees a missing field, a null and an unknown status.
func TestTheCheckOfAnswersSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := contractOf(t, newHouse(t))
	for name, wrong := range map[string][3]string{
		"a missing field": {"/projects/:id", "200", `{"id":"x"}`},
		"a null": {"/projects/:id", "200",
			`{"id":null,"name":"","description":"","instructions":"","path":"","conversation_count":1,"version":1,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`},
		"an unknown status": {"/projects/:id", "299", `{}`},
	} {
		probe := &countingT{TB: t}
		c.holds(probe, "GET", basePath+wrong[0], wrong[1], "application/json", wrong[2])
		if probe.errors == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}

// countingT counts errors instead of failing.
type countingT struct {
	testing.TB
	errors int
}

func (c *countingT) Helper()               {}
func (c *countingT) Error(...any)          { c.errors++ }
func (c *countingT) Errorf(string, ...any) { c.errors++ }

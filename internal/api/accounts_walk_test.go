package api

import (
	"encoding/json"
	"maps"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// belongings are ids of one user's things, by the name of their collection in paths.
type belongings map[string]string

// fill makes one of everything that an id can name.
func (h *house) fill() belongings {
	h.t.Helper()
	conversation, run, waiting := h.asks("ask 1", "ask 2")
	h.do("POST", "/api/v1/approvals/"+waiting[0].ID, m{"decision": "approve", "scope": "always"}).is(200)
	rules := into[List[ApprovalRule]](h.do("GET", "/api/v1/approvals/rules", nil).is(200))
	project := h.newProject()
	h.do("PUT", "/api/v1/projects/"+project.ID+"/files/secret.txt", "x", "Content-Type", "text/plain").is(201)
	messages := into[List[Message]](h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200))
	upload := into[Upload](h.upload("a.txt", "x").is(201))
	token := into[NewAPIToken](h.do("POST", "/api/v1/tokens", m{"name": "t", "scope": "read"}).is(201))
	_, cookie := h.signIn("owner", goodPassword)
	sessions := into[List[Session]](h.do("GET", "/api/v1/auth/sessions", nil, "Cookie", cookie).is(200))
	schedule := into[Schedule](h.do("POST", "/api/v1/schedules",
		m{"name": "daily", "cron": "0 3 * * *", "text": "tidy up"}).is(201))
	member, _ := h.user("member", models.AccountUser, models.ScopeRead)
	h.do("POST", "/api/v1/projects/"+project.ID+"/members", m{"username": "member", "role": "viewer"}).is(200)
	share := into[NewShareLink](h.do("POST", "/api/v1/conversations/"+conversation+"/share", m{}).is(201))
	hook := into[Hook](h.do("POST", "/api/v1/hooks", m{"name": "push"}).is(201))
	prompt := into[Prompt](h.do("POST", "/api/v1/prompts", m{"name": "ask", "text": "Why?"}).is(201))
	return belongings{
		"members":       member,
		"share":         share.ID,
		"schedules":     schedule.ID,
		"hooks":         hook.ID,
		"prompts":       prompt.ID,
		"conversations": conversation,
		"runs":          run.ID,
		"projects":      project.ID,
		"messages":      messages.Items[0].ID,
		"uploads":       upload.ID,
		"approvals":     waiting[1].ID,
		"rules":         rules.Items[0].ID,
		"tokens":        token.ID,
		"sessions":      sessions.Items[0].ID,
		"users":         models.LocalUserID,
	}
}

// upload sends a file for use as an attachment.
func (h *house) upload(name, text string) answer {
	h.t.Helper()
	var form strings.Builder
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err != nil || w.Close() != nil {
		h.t.Fatal(err)
	}
	return h.do("POST", "/api/v1/uploads", form.String(), "Content-Type", w.FormDataContentType())
}

// url puts the ids into a path of the document; foreign says that there are any.
func (b belongings) url(t *testing.T, path string) (url string, foreign bool) {
	t.Helper()
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		name, is := strings.CutPrefix(segment, "{")
		if !is {
			continue
		}
		switch name = strings.TrimSuffix(name, "}"); name {
		case "id", "mid":
			id, known := b[segments[i-1]]
			if !known {
				t.Fatalf("%s: belongings has no id for %s", path, segments[i-1])
			}
			segments[i], foreign = id, true
		case "path":
			segments[i] = "secret.txt"
		default:
			segments[i] = "any"
		}
	}
	return strings.Join(segments, "/"), foreign
}

// exampleBody is the smallest body that an operation takes, with foreign ids where a
// property names one.
func exampleBody(
	op walkedOperation,
	schemas map[string]json.RawMessage,
	theirs belongings,
) (contentType string, body any) {
	kinds := slices.Sorted(maps.Keys(op.RequestBody.Content))
	switch {
	case len(kinds) == 0:
		return "", nil
	case kinds[0] == "application/json":
		return kinds[0], example(op.RequestBody.Content[kinds[0]].Schema, schemas, theirs)
	}
	return kinds[0], "x"
}

type exampleSchema struct {
	Ref        string                     `json:"$ref"`
	Type       any                        `json:"type"`
	Enum       []any                      `json:"enum"`
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
	MinProps   int                        `json:"minProperties"`
}

func example(text json.RawMessage, schemas map[string]json.RawMessage, theirs belongings) any {
	var schema exampleSchema
	if json.Unmarshal(text, &schema) != nil {
		return nil
	}
	if name, is := strings.CutPrefix(schema.Ref, "#/components/schemas/"); is {
		return example(schemas[name], schemas, theirs)
	}
	for _, choice := range schema.Enum {
		if choice != "" {
			return choice
		}
	}
	kind, _ := schema.Type.(string)
	if kinds, is := schema.Type.([]any); is && len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	switch kind {
	case "object":
		object := m{}
		for name, property := range schema.Properties {
			if id := theirs[strings.TrimSuffix(name, "_id")+"s"]; strings.HasSuffix(name, "_id") && id != "" {
				object[name] = id
			} else if slices.Contains(schema.Required, name) {
				object[name] = example(property, schemas, theirs)
			}
		}
		if len(object) < schema.MinProps {
			object["max_iterations"] = 5
		}
		return object
	case "array":
		return []any{}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	}
	return "x"
}

// US5: what another user has cannot be named either, in a body: a conversation in another's
// project, an attachment of another's, a branch below another's message.
func TestNothingOfAnotherUserCanBeNamed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	theirs := h.fill()
	h.model.On(llmtest.User("hello")).Steps(llmtest.Text("hi"))
	_, h.token = h.user("stranger", models.AccountUser, models.ScopeAdmin)
	own := h.newConversation(m{})
	for _, c := range []struct {
		method, path string
		body         m
	}{
		{"POST", "/conversations", m{"project_id": theirs["projects"]}},
		{"PATCH", "/conversations/" + own.ID, m{"project_id": theirs["projects"]}},
		{"PATCH", "/conversations/" + own.ID, m{"active_leaf_id": theirs["messages"]}},
		{"POST", "/conversations/" + own.ID + "/runs", m{"text": "hello", "project_id": theirs["projects"]}},
		{"POST", "/conversations/" + own.ID + "/runs", m{"text": "hello", "attachments": []m{{"upload_id": theirs["uploads"]}}}},
		{"POST", "/conversations/" + own.ID + "/runs", m{"text": "hello", "parent_message_id": theirs["messages"]}},
		{"DELETE", "/conversations/" + own.ID + "/messages/" + theirs["messages"], nil},
	} {
		var body any
		if c.body != nil {
			body = c.body
		}
		if got := h.do(c.method, "/api/v1"+c.path, body); got.status != 404 && got.status != 422 {
			t.Errorf("%s %s %v: %d %s", c.method, c.path, c.body, got.status, got.body)
		}
	}
	for _, path := range []string{"/usage", "/audit", "/audit?user=" + models.LocalUserID, "/conversations?q=go",
		"/approvals?conversation_id=" + theirs["conversations"], "/usage?conversation=" + theirs["conversations"]} {
		if got := h.do("GET", "/api/v1"+path, nil).is(200); strings.Contains(got.body, theirs["conversations"]) ||
			strings.Contains(got.body, `"echo"`) {
			t.Errorf("%s shows what is another's: %s", path, got.body)
		}
	}
}

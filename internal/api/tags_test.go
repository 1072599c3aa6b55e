package api

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// CH4: conversations have tags, are found by them in upper or lower case, and keep them in an export.
func TestConversationsAreFoundByTheirTags(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	create := func(title string, tags ...string) Conversation {
		return into[Conversation](h.do("POST", "/api/v1/conversations", m{"title": title, "tags": tags}).is(201))
	}
	first := create("first", " Work ", "work", "", "100%")
	if !slices.Equal(first.Tags, []string{"Work", "100%"}) {
		t.Errorf("the tags are %q", first.Tags)
	}
	create("second", "work", `a "quoted" \ tag`, "10")
	create("third", "homework", "工作 计划")
	if none := into[Conversation](h.do("POST", "/api/v1/conversations", m{"title": "none"}).is(201, `"tags":[]`)); none.Tags == nil {
		t.Error("no tags are null")
	}
	with := func(tag string) []string {
		titles := []string{}
		for _, c := range into[List[FoundConversation]](h.do("GET", "/api/v1/conversations?tag="+url.QueryEscape(tag),
			nil).is(200)).Items {
			titles = append(titles, c.Title)
		}
		return titles
	}
	for tag, want := range map[string][]string{
		"WORK": {"second", "first"}, "home": {}, "homework": {"third"}, "100%": {"first"}, "10%": {}, "1_": {},
		`a "quoted" \ tag`: {"second"}, "quoted": {}, "工作 计划": {"third"},
	} {
		if got := with(tag); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", tag, got, want)
		}
	}
	h.do("GET", "/api/v1/tags", nil).is(200, `{"name":"Work","conversations":2}`, `{"name":"homework","conversations":1}`)

	moved := into[Conversation](h.do("PATCH", "/api/v1/conversations/"+first.ID, m{"tags": []string{"done"}}).is(200))
	if !moved.UpdatedAt.Equal(first.UpdatedAt) || !slices.Equal(moved.Tags, []string{"done"}) {
		t.Errorf("a tag made %+v of %+v", moved, first)
	}
	exported := h.do("GET", "/api/v1/conversations/"+first.ID+"/export?format=json", nil).is(200)
	again := into[Conversation](h.do("POST", "/api/v1/conversations/import", exported.body, "Content-Type",
		"application/json").is(201))
	if !slices.Equal(again.Tags, []string{"done"}) {
		t.Errorf("imported with %q", again.Tags)
	}
	h.do("PATCH", "/api/v1/conversations/"+first.ID, m{"archived": true}).is(200, `"done"`)
	h.do("GET", "/api/v1/tags", nil).is(200, `{"name":"done","conversations":1}`)

	many := make([]string, maxTags+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	h.do("PATCH", "/api/v1/conversations/"+first.ID, m{"tags": many}).is(422, "at most 20")
	h.do("PATCH", "/api/v1/conversations/"+first.ID, m{"tags": []string{strings.Repeat("长", maxTag+1)}}).is(422,
		"longer than 50 characters")
	h.do("PATCH", "/api/v1/conversations/"+first.ID, m{"tags": nil}).is(200, `"tags":[]`)
}

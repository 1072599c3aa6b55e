package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// CH4: settings are set, changed and cleared one by one; every change has its event.
func TestAConversationsSettingsAreChangedAndCleared(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.newProject()
	a := h.do("POST", "/api/v1/conversations", m{
		"title": " Given ", "project_id": p.ID, "model": "m", "system_prompt": "be brief", "temperature": 0,
		"max_tokens": 100,
		"thinking":   "on", "tools_enabled": false, "agent": "writer", "pinned": true,
	}).is(201)
	c := into[Conversation](a)
	if c.Title != "Given" || *c.ProjectID != p.ID || c.Model != "m" || c.SystemPrompt != "be brief" ||
		c.Temperature == nil || *c.Temperature != 0 ||
		*c.MaxTokens != 100 || c.Thinking != "on" || c.ToolsEnabled || c.Agent != "writer" || !c.Pinned ||
		a.header.Get("Location") != "/api/v1/conversations/"+c.ID {
		t.Errorf("it is %s", a.body)
	}
	events := h.watch("/api/v1/conversations/" + c.ID + "/events")
	if first := events.next(); first.kind != "snapshot" || !contains(first.data, `"run":null`) {
		t.Errorf("the first event is %+v", first)
	}
	path, tag := "/api/v1/conversations/"+c.ID, a.header.Get("ETag")
	changed := h.do("PATCH", path, m{"pinned": false}, "If-Match", tag).is(200, `"pinned":false`, `"title":"Given"`)
	event := events.next()
	if event.kind == "conversation.updated" && contains(event.data, `"version":1,`) {
		event = events.next() // the creation itself: its event may be published after the stream began
	}
	if event.kind != "conversation.updated" || !contains(event.data, `"pinned":false`) ||
		!contains(event.data, `"conversation_id":"`+c.ID) {
		t.Errorf("the event is %+v", event)
	}
	h.do("PATCH", path, m{"pinned": true}, "If-Match", tag).is(412, `"code":"precondition_failed"`)
	h.do("PATCH", path, m{"pinned": true}, "If-Match", `"nonsense"`).is(412)
	h.do("PATCH", path, m{}, "If-Match", changed.header.Get("ETag")).is(200)
	cleared := into[Conversation](h.do("PATCH", path, m{"title": nil, "project_id": nil, "model": nil,
		"system_prompt": nil, "temperature": nil,
		"max_tokens": nil, "thinking": nil, "tools_enabled": nil, "agent": nil}).is(200))
	if cleared.Title != "" || cleared.ProjectID != nil || cleared.Model != "" || cleared.SystemPrompt != "" ||
		cleared.Temperature != nil ||
		cleared.MaxTokens != nil || cleared.Thinking != "" || !cleared.ToolsEnabled || cleared.Agent != "default" {
		t.Errorf("cleared it is %+v", cleared)
	}
	plain := into[Conversation](h.do("POST", "/api/v1/conversations", nil).is(201))
	if !plain.ToolsEnabled || plain.Agent != "default" || plain.Temperature != nil || plain.ActiveLeafID != nil {
		t.Errorf("without a body it is %+v", plain)
	}
}

// CH7: a title is made from the first turn, unless one was given.
func TestATitleIsMadeUnlessOneWasGiven(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("Sure."))
	c := h.newConversation(m{})
	h.say(c.ID, "plan a trip to Mars")
	h.do("GET", "/api/v1/conversations/"+c.ID, nil).is(200, `"title":"plan a trip to Mars"`)
	given := h.newConversation(m{"title": "Mine"})
	h.say(given.ID, "plan a trip to Mars")
	h.do("GET", "/api/v1/conversations/"+given.ID, nil).is(200, `"title":"Mine"`)
}

func TestConversationsAreListedInPartsAndByProject(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.newProject()
	var want, got []string
	for i := range 5 {
		want = append([]string{h.newConversation(m{"title": fmt.Sprint(i), "project_id": p.ID}).ID}, want...)
	}
	h.newConversation(m{"title": "elsewhere"})
	for cursor, more := "", true; more; {
		part := into[List[FoundConversation]](h.do("GET", "/api/v1/conversations?limit=2&project_id="+p.ID+"&cursor="+
			cursor, nil).is(200))
		for _, item := range part.Items {
			got = append(got, item.ID)
		}
		if more = part.NextCursor != nil; more {
			cursor = *part.NextCursor
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if all := into[List[FoundConversation]](h.do("GET", "/api/v1/conversations", nil).is(200)); len(all.Items) != 6 ||
		all.NextCursor != nil {
		t.Errorf("there are %d", len(all.Items))
	}
}

// CH10: words are found in titles and in bodies, Chinese ones too, and shown.
func TestASearchFindsTitlesAndBodiesWithTheirText(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("今天天气很好，适合散步"))
	byTitle, byBody := h.newConversation(m{"title": "Walrus facts"}), h.newConversation(m{"title": "other"})
	h.say(byBody.ID, "how is the weather for a walrus")
	found := into[List[FoundConversation]](h.do("GET", "/api/v1/conversations?q=walrus", nil).is(200))
	if len(found.Items) != 2 || found.Items[0].ID != byBody.ID || !contains(found.Items[0].Snippet,
		"weather for a walrus") ||
		found.Items[0].MessageID == "" || found.Items[1].ID != byTitle.ID || found.Items[1].MessageID != "" ||
		found.Items[1].Snippet == "" {
		t.Errorf("found %+v", found.Items)
	}
	h.do("GET", "/api/v1/conversations?q=%E5%A4%A9%E6%B0%94", nil).is(200, byBody.ID, "今天天气")
	h.do("GET", "/api/v1/conversations?q=zebra", nil).is(200, `"items":[]`)
}

// CH9: an export is read again and has everything but the ids.
func TestAnExportIsImportedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("look at this")).Steps(
		llmtest.Calls(llmtest.Call{Name: "echo", Arguments: `{"text":"~~~ ` + "```" + `"}`}).WithThinking("hmm"),
		llmtest.Text("Seen."))
	h.model.On(llmtest.Any()).Reply(llmtest.Text("Again."))
	c := h.newConversation(m{"title": "Export me", "temperature": 0.5})
	path := "/api/v1/conversations/" + c.ID
	h.do("POST", path+"/runs", m{"text": "look at this", "attachments": []m{{"name": "a.txt", "data": "aGVsbG8="}}},
		"Accept", "text/event-stream").is(200, "run.finished")
	h.say(c.ID, "more")
	h.do("POST", path+"/runs", m{"text": "another root", "parent_message_id": nil}, "Accept",
		"text/event-stream").is(200, "run.finished")

	markdown := h.do("GET", path+"/export?branch=all", nil).is(200, "# Export me", "look at this", "a.txt", "hmm",
		"Tool: echo")
	if !strings.HasPrefix(markdown.header.Get("Content-Disposition"), `attachment; filename="Export me.md"`) {
		t.Errorf("Content-Disposition %q", markdown.header.Get("Content-Disposition"))
	}
	exported := h.do("GET", path+"/export?format=json", nil).is(200)
	again := h.do("POST", "/api/v1/conversations/import", []byte(exported.body), "Content-Type",
		"application/json").is(201)
	copied := into[Conversation](again)
	if copied.ID == c.ID || copied.Title != "Export me" || *copied.Temperature != 0.5 {
		t.Errorf("the copy is %s", again.body)
	}
	first, second := into[ConversationExport](exported),
		into[ConversationExport](h.do("GET", "/api/v1/conversations/"+copied.ID+"/export?format=json", nil).is(200))
	if len(first.Messages) != 6 || len(second.Messages) != 6 || len(second.Uploads) != 1 ||
		string(second.Uploads[0].Data) != "hello" {
		t.Fatalf("%d and %d messages, uploads %+v", len(first.Messages), len(second.Messages), second.Uploads)
	}
	ids := map[string]string{"": ""}
	for i := range first.Messages {
		ids[first.Messages[i].ID] = second.Messages[i].ID
	}
	for i, was := range first.Messages {
		is := second.Messages[i]
		if is.Text != was.Text || is.Role != was.Role || is.ParentID != ids[was.ParentID] ||
			len(is.Steps) != len(was.Steps) ||
			len(is.ToolCalls) != len(was.ToolCalls) || !is.CreatedAt.Equal(was.CreatedAt) ||
			(is.Usage == nil) != (was.Usage == nil) {
			t.Errorf("message %d is %+v, was %+v", i, is, was)
		}
	}
	if second.Conversation.ActiveLeafID != ids[first.Conversation.ActiveLeafID] {
		t.Error("another branch is active")
	}
}

// CH9: branches: a message below any message, a new root, a switch, and a delete
// with all below.
func TestBranchesAreMadeSwitchedAndDeleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Func(func(r llmtest.Request) llmtest.Reply { return llmtest.Text("to " + r.Last().Text) })
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID
	texts := func(branch string) string {
		var all []string
		for _, message := range into[Messages](h.do("GET", path+"/messages?branch="+branch, nil).is(200)).Items {
			all = append(all, message.Text)
		}
		return strings.Join(all, "|")
	}
	say := func(body m) {
		h.do("POST", path+"/runs", body, "Accept", "text/event-stream").is(200, "run.finished")
	}
	say(m{"text": "a"})
	say(m{"text": "b"})
	all := into[Messages](h.do("GET", path+"/messages?branch=all", nil).is(200)).Items
	say(m{"text": "c", "parent_message_id": all[1].ID}) // beside b
	say(m{"text": "d", "parent_message_id": nil})
	if got := texts("active"); got != "d|to d" {
		t.Errorf("active %s", got)
	}
	if got := texts(all[3].ID); got != "a|to a|b|to b" {
		t.Errorf("the branch of b: %s", got)
	}
	if got := texts("all"); got != "a|to a|b|to b|c|to c|d|to d" {
		t.Errorf("all: %s", got)
	}
	h.do("PATCH", path, m{"active_leaf_id": all[0].ID}).is(200) // the newest branch through a
	if got := texts("active"); got != "a|to a|c|to c" {
		t.Errorf("after the switch: %s", got)
	}
	h.do("PATCH", path, m{"active_leaf_id": noID}).is(404)
	h.do("POST", "/api/v1/messages/"+all[3].ID+"/regenerate", nil, "Accept", "text/event-stream").is(200,
		"run.finished")
	if got := texts("active"); got != "a|to a|b|to b" {
		t.Errorf("after the regeneration: %s", got)
	}
	if got := texts("all"); strings.Count(got, "to b") != 2 {
		t.Errorf("all: %s", got)
	}
	h.do("DELETE", path+"/messages/"+all[2].ID, nil).is(204)
	if got := texts("all"); got != "a|to a|c|to c|d|to d" {
		t.Errorf("after the delete: %s", got)
	}
	if got := texts("active"); got != "a|to a|c|to c" {
		t.Errorf("active after the delete: %s", got)
	}
}

// CH1: a long branch comes in parts.
func TestMessagesComeInParts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	c := h.newConversation(m{})
	h.say(c.ID, "1")
	h.say(c.ID, "2")
	path := "/api/v1/conversations/" + c.ID + "/messages?limit=3"
	first := into[Messages](h.do("GET", path, nil).is(200))
	if len(first.Items) != 3 || first.NextCursor == nil {
		t.Fatalf("the first part is %+v", first)
	}
	second := into[Messages](h.do("GET", path+"&cursor="+*first.NextCursor, nil).is(200))
	if len(second.Items) != 1 || second.NextCursor != nil || *second.Items[0].ParentID != first.Items[2].ID {
		t.Errorf("the second part is %+v", second)
	}
}

// A conversation is deleted while its run is at work: the run ends first.
func TestADeletedConversationStopsItsRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("never").At(gate))
	c := h.newConversation(m{})
	path := "/api/v1/conversations/" + c.ID
	run := into[Run](h.do("POST", path+"/runs", m{"text": "wait"}).is(202))
	h.do("POST", path+"/runs", m{"text": "next", "on_busy": "queue"}).is(202)
	if err := h.model.WaitCalls(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.do("DELETE", path+"/messages/"+run.UserMessageID, nil).is(409, "stop it first")
	h.do("DELETE", path, nil).is(204)
	h.do("GET", path, nil).is(404)
	h.do("GET", "/api/v1/runs/"+run.ID, nil).is(404)
}

// CH7, A11: a conversation is named when its first run starts, and whoever watches learns of
// it; a title that was given stays.
func TestAConversationHasItsTitleWhileItsFirstRunIsAtWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("done").At(gate))
	c, given := h.newConversation(m{}), h.newConversation(m{"title": "Given"})
	path := "/api/v1/conversations/" + c.ID
	watched := h.watch(path + "/events")
	h.do("POST", path+"/runs", m{"text": "Compare three databases. Be brief"}).is(202)
	for {
		event := watched.next()
		if event.kind == "conversation.updated" && contains(event.data, `"title":"Compare three databases"`) {
			break
		}
		if event.kind == "run.finished" {
			t.Fatal("the run ended before the title was told")
		}
	}
	h.do("GET", path, nil).is(200, `"title":"Compare three databases"`, `"version":2`)
	h.do("POST", "/api/v1/conversations/"+given.ID+"/runs", m{"text": "something else"}).is(202)
	h.do("GET", "/api/v1/conversations/"+given.ID, nil).is(200, `"title":"Given"`, `"version":1`)
}

// A23: whoever has a conversation open learns that it was deleted.
func TestADeletedConversationIsToldToWhoeverWatches(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.newConversation(m{})
	watched := h.watch("/api/v1/events")
	h.do("DELETE", "/api/v1/conversations/"+c.ID, nil).is(204)
	for {
		if event := watched.next(); event.kind == "conversation.deleted" {
			if !contains(event.data, `"conversation_id":"`+c.ID+`"`) {
				t.Fatalf("event %s", event.data)
			}
			return
		}
	}
}

// A23: the conversations of a project that is deleted go with it, which is told likewise.
func TestTheConversationsOfADeletedProjectAreToldToWhoeverWatches(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	project := h.newProject()
	want := map[string]bool{}
	for range 3 {
		want[h.newConversation(m{"project_id": project.ID}).ID] = true
	}
	watched := h.watch("/api/v1/events")
	h.do("DELETE", "/api/v1/projects/"+project.ID, nil).is(204)
	for len(want) > 0 {
		event := watched.next()
		if event.kind != "conversation.deleted" {
			continue
		}
		for id := range want {
			if contains(event.data, id) {
				delete(want, id)
			}
		}
	}
}

// CH1: archived conversations have a list of their own, a search finds both, and marks leave the order alone.
func TestConversationsAreArchivedAndMarkedWithoutMovingInTheList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	older := into[Conversation](h.do("POST", "/api/v1/conversations", m{"title": "older pears"}).is(201))
	newer := into[Conversation](h.do("POST", "/api/v1/conversations", m{"title": "newer pears"}).is(201))
	path := "/api/v1/conversations/" + older.ID
	marked := into[Conversation](h.do("PATCH", path, m{"pinned": true, "unread": true}).is(200, `"unread":true`))
	if !marked.UpdatedAt.Equal(older.UpdatedAt) || marked.Version == older.Version {
		t.Errorf("a mark made %+v of %+v", marked, older)
	}
	titles := func(query string) []string {
		var list []string
		for _, c := range into[List[FoundConversation]](h.do("GET", "/api/v1/conversations"+query, nil).is(200)).Items {
			list = append(list, c.Title)
		}
		return list
	}
	if got := titles(""); !slices.Equal(got, []string{"newer pears", "older pears"}) {
		t.Errorf("the list is %v", got)
	}
	h.do("PATCH", "/api/v1/conversations/"+newer.ID, m{"archived": true}).is(200, `"archived":true`)
	if got := titles(""); !slices.Equal(got, []string{"older pears"}) {
		t.Errorf("without the archived one the list is %v", got)
	}
	if got := titles("?archived=true"); !slices.Equal(got, []string{"newer pears"}) {
		t.Errorf("the archived ones are %v", got)
	}
	if got := titles("?q=pears"); len(got) != 2 {
		t.Errorf("a search finds %v", got)
	}
	h.do("PATCH", path, m{"permission_mode": "anything"}).is(422)
	h.do("PATCH", path, m{"permission_mode": "plan"}).is(200, `"permission_mode":"plan"`)
	h.do("PATCH", path, m{"permission_mode": nil}).is(200, `"permission_mode":"auto"`)
}

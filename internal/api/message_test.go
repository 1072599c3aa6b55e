package api

import (
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// CH3: a changed answer stands beside the old one, keeps its calls, and is what the next turn sees.
func TestAChangedAnswerStandsBesideTheOldOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.UserContains("add")).Sequence(
		llmtest.Calls(llmtest.Call{Name: "calculator", Arguments: `{"expression":"1+1"}`}).WithText("Let me see."),
		llmtest.Text("It is 3."))
	h.model.On(llmtest.UserContains("next")).Reply(llmtest.Text("fine"))
	c := h.newConversation(m{"tools_enabled": true})
	h.say(c.ID, "add one and one")
	list := "/api/v1/conversations/" + c.ID + "/messages"
	old := into[List[*Message]](h.do("GET", list, nil).is(200)).Items[1]
	watch := h.watch("/api/v1/conversations/" + c.ID + "/events")
	edited := into[Message](h.do("POST", "/api/v1/messages/"+old.ID+"/edit", m{"text": "It is 2."}).is(201))
	for e := watch.next(); e.kind != "message.created" || !strings.Contains(e.data, "It is 2."); e = watch.next() {
	}
	if !edited.Edited || edited.Text != "It is 2." || *edited.ParentID != *old.ParentID || edited.RunID != "" ||
		len(edited.ToolCalls) != 1 || edited.ToolCalls[0].Result != old.ToolCalls[0].Result {
		t.Errorf("the changed answer is %+v, of %+v", edited, *old)
	}
	for i, e := range edited.Steps {
		if e.Index != i || e.Type == "text" != (i == len(edited.Steps)-1) {
			t.Errorf("entry %d is %+v", i, e)
		}
	}
	h.say(c.ID, "next")
	branch := into[List[*Message]](h.do("GET", list, nil).is(200)).Items
	if len(branch) != 4 || branch[1].ID != edited.ID {
		t.Fatalf("the branch is %+v", branch)
	}
	if all := into[List[*Message]](h.do("GET", list+"?branch=all", nil).is(200)).Items; len(all) != 5 {
		t.Errorf("%d messages, want both answers of 5", len(all))
	}
	requests := h.model.Requests()
	if last := string(requests[len(requests)-1].Body); !strings.Contains(last, "It is 2.") || strings.Contains(last, "It is 3.") ||
		!strings.Contains(last, "1+1") {
		t.Errorf("the model was told %s", last)
	}
	h.do("GET", "/api/v1/conversations?q=It+is+2", nil).is(200, c.ID, edited.ID)
	h.do("POST", "/api/v1/messages/"+edited.ID+"/edit", m{"text": " \n"}).is(422, `"location":"body.text"`)
	h.do("POST", "/api/v1/messages/"+branch[0].ID+"/edit", m{"text": "x"}).is(422, "parent_message_id")
	h.do("POST", "/api/v1/messages/"+noID+"/edit", m{"text": "x"}).is(404, noID)
}

// CH3
func TestAnAnswerIsNotChangedUnderARunAtWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.UserContains("first")).Reply(llmtest.Text("ok"))
	c := h.newConversation(m{})
	h.say(c.ID, "first")
	answer := into[List[*Message]](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages", nil).is(200)).Items[1]
	run, _ := h.asksIn(c.ID, "ask 1")
	h.do("POST", "/api/v1/messages/"+answer.ID+"/edit", m{"text": "x"}).is(409, run.ID)
}

// CH7: a fork has the messages up to one, and the first conversation stays as it is.
func TestAForkGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	project := h.newProject()
	c := h.newConversation(m{"title": "Plans", "project_id": project.ID, "system_prompt": "be kind", "pinned": true})
	upload := into[map[string]any](h.upload("a.txt", "attached").is(201))
	path := "/api/v1/conversations/" + c.ID
	h.do("POST", path+"/runs", m{"text": "one", "attachments": []m{{"upload_id": upload["id"]}}}, "Accept",
		"text/event-stream").is(200)
	h.say(c.ID, "two")
	before := into[List[*Message]](h.do("GET", path+"/messages", nil).is(200)).Items
	a := h.do("POST", "/api/v1/messages/"+before[1].ID+"/fork", nil).is(201)
	fork := into[Conversation](a)
	if fork.Title != "Plans (2)" || fork.Pinned || fork.SystemPrompt != "be kind" || fork.ProjectID == nil ||
		*fork.ProjectID != project.ID || a.header.Get("Location") != "/api/v1/conversations/"+fork.ID {
		t.Errorf("the fork is %+v at %s", fork, a.header.Get("Location"))
	}
	h.say(fork.ID, "another two")
	texts := func(id string) (out string) {
		for _, message := range into[List[*Message]](h.do("GET", "/api/v1/conversations/"+id+"/messages",
			nil).is(200)).Items {
			out += message.Text + "|"
		}
		return out
	}
	if got := texts(fork.ID); got != "one|ok|another two|ok|" {
		t.Errorf("the fork holds %s", got)
	}
	if got := texts(c.ID); got != "one|ok|two|ok|" {
		t.Errorf("the first conversation holds %s", got)
	}
	copied := into[List[*Message]](h.do("GET", "/api/v1/conversations/"+fork.ID+"/messages", nil).is(200)).Items[0].Attachments
	if len(copied) != 1 || copied[0].UploadID == upload["id"] {
		t.Fatalf("the fork's attachments are %+v", copied)
	}
	h.do("DELETE", path, nil).is(204)
	h.do("GET", "/api/v1/uploads/"+copied[0].UploadID, nil).is(200, "attached")
	again := into[Conversation](h.do("POST", "/api/v1/messages/"+
		into[List[*Message]](h.do("GET", "/api/v1/conversations/"+fork.ID+"/messages", nil).is(200)).Items[0].ID+"/fork",
		nil).is(201))
	if again.Title != "Plans (3)" {
		t.Errorf("the second fork is called %q", again.Title)
	}
}

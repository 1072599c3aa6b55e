package api

import (
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

const pngFile = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// CH4: files travel ahead of a message or in it; what they are is found out.
func TestFilesGoWithAMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("seen"))
	a := h.do("POST", "/api/v1/uploads", multipartForm(map[string]string{"dir/p.txt": pngFile}), "Content-Type",
		formType).is(201)
	picture := into[Upload](a)
	if picture.Name != "p.txt" || picture.ContentType != "image/png" || picture.Size != int64(len(pngFile)) {
		t.Errorf("the upload is %+v", picture)
	}
	if got := h.do("GET", a.header.Get("Location"), nil).is(200); got.body != pngFile ||
		got.header.Get("Content-Type") != "image/png" {
		t.Errorf("it came back as %q, %s", got.body, got.header.Get("Content-Type"))
	}
	code := into[Upload](h.do("POST", "/api/v1/uploads",
		multipartForm(map[string]string{"x.html": "<script>1</script>"}), "Content-Type", formType).is(201))
	if got := h.do("GET", "/api/v1/uploads/"+code.ID, nil).is(200); !contains(got.header.Get("Content-Security-Policy"),
		"sandbox") {
		t.Errorf("a page came with %s", got.header.Get("Content-Security-Policy"))
	}
	c := h.newConversation(m{})
	h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "", "attachments": []m{
		{"upload_id": picture.ID}, {"name": "note.md", "content_type": "text/markdown", "data": "IyBIaQ=="},
		{"name": "a.csv", "data": "YSxi"},
	}}, "Accept", "text/event-stream").is(200, "run.finished")
	list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages", nil).is(200))
	sent := list.Items[0].Attachments
	if len(sent) != 3 || sent[0].UploadID != picture.ID || sent[0].ContentType != "image/png" ||
		sent[1].ContentType != "text/markdown" ||
		sent[1].Size != 4 || sent[2].ContentType != "text/csv; charset=utf-8" {
		t.Errorf("attachments %+v", sent)
	}
	h.do("GET", "/api/v1/uploads/"+sent[1].UploadID, nil).is(200, "# Hi")
	h.do("GET", "/api/v1/uploads/"+noID, nil).is(404)
	h.do("POST", "/api/v1/uploads", multipartForm(nil, "a", "b"), "Content-Type", formType).is(422)
	h.do("POST", "/api/v1/uploads", m{}).is(415)
}

package runs

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

type screenshot struct {
	Seen   string `json:"seen"`
	images []tools.Image
}

func (s screenshot) Images() []tools.Image { return s.images }

// addCamera registers a tool whose result has an image, and returns the image's bytes.
func (h *house) addCamera() []byte {
	picture := bytes.Repeat([]byte("pixels"), 50<<10) // above every output limit
	h.registry.Register(tools.Define("camera", "take a picture", func(ctx context.Context, call tools.Call,
		_ struct{}) (screenshot, error) {
		upload := &models.Upload{UserID: call.UserID, Name: "camera-1.png", ContentType: "image/png", Data: picture}
		if err := h.store.CreateUpload(ctx, upload); err != nil {
			return screenshot{}, err
		}
		return screenshot{Seen: "a door", images: []tools.Image{{UploadID: upload.ID, Name: upload.Name,
			ContentType: "image/png", Size: upload.Size}}}, nil
	}, tools.Effect(tools.Volatile)))
	return picture
}

// TS7 issue 10: an image of a result reaches a model that sees as an image, in this
// turn and in later ones, also after a restart; records refer to it.
func TestImagesOfResultsReachModelsThatSee(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.sees = true
	picture := h.addCamera()
	h.model.On(llmtest.User("look")).Steps(
		llmtest.Calls(llmtest.Call{Name: "camera", Arguments: `{}`}, llmtest.Call{Name: "look", Arguments: `{}`}),
		llmtest.Text("a door"))
	h.model.On(llmtest.User("again")).Reply(llmtest.Text("still a door"))
	conv := h.conversation()
	run := h.send(conv, "look")
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if len(message.ToolCalls) != 2 || len(message.ToolCalls[0].Images) != 1 ||
		strings.Contains(message.ToolCalls[0].Result, "pixels") {
		t.Fatalf("calls %+v", message.ToolCalls)
	}
	if len(message.Attachments) != 1 || message.Attachments[0].UploadID != message.ToolCalls[0].Images[0].UploadID {
		t.Errorf("attachments %+v: they keep the image as long as the message", message.Attachments)
	}

	h.close(t.Context())
	h.open()
	h.events(h.send(conv, "again").ID)
	requests := h.model.Requests()
	shown := []string{"data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)}
	for i, request := range requests[1:] {
		var at []int
		for j, m := range request.Messages {
			if m.Role == "user" && len(m.Images) > 0 {
				at = append(at, j)
				if len(m.Images) != 1 || m.Images[0] != shown[0] || !strings.Contains(m.Text, "1 of camera") {
					t.Errorf("request %d shows %d images as %q", i+2, len(m.Images), m.Text)
				}
				if before := request.Messages[j-1]; before.Role != "tool" {
					t.Errorf("request %d: the image stands behind a message of role %s", i+2, before.Role)
				}
			}
		}
		if len(at) != 1 {
			t.Errorf("request %d has images in the messages %v, want in one", i+2, at)
		}
	}
	if len(requests) != 3 {
		t.Errorf("%d requests", len(requests))
	}
}

// TS7 issue 10: a model that sees no images is told so.
func TestModelsThatDoNotSeeAreToldOfImages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addCamera()
	h.model.On(llmtest.User("look")).Steps(llmtest.Calls(llmtest.Call{Name: "camera", Arguments: `{}`}),
		llmtest.Text("I cannot see it"))
	run := h.send(h.conversation(), "look")
	h.events(run.ID)
	last := h.model.Requests()[1].Last()
	if last.Role != "tool" || len(last.Images) > 0 || !strings.Contains(last.Text, "this model cannot see images") {
		t.Errorf("the model got %+v", last)
	}
	if _, message := h.answer(run.ID); len(message.ToolCalls[0].Images) != 1 {
		t.Errorf("the person sees %+v", message.ToolCalls[0])
	}
}

// TS7 issue 10: an image that is gone is no failure of the conversation.
func TestAnImageThatIsGoneIsSaidToBe(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.sees = true
	h.addCamera()
	h.model.On(llmtest.User("look")).Steps(llmtest.Calls(llmtest.Call{Name: "camera", Arguments: `{}`}),
		llmtest.Text("a door"))
	h.model.On(llmtest.User("again")).Reply(llmtest.Text("gone"))
	conv := h.conversation()
	run := h.send(conv, "look")
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if err := h.store.DeleteUpload(t.Context(), models.LocalUserID,
		message.ToolCalls[0].Images[0].UploadID); err != nil {
		t.Fatal(err)
	}
	h.events(h.send(conv, "again").ID)
	for _, m := range h.model.Requests()[2].Messages {
		if len(m.Images) > 0 || m.Role == "tool" && !strings.Contains(m.Text, "no longer there") {
			t.Errorf("the model got %s %q with %d images", m.Role, m.Text, len(m.Images))
		}
	}
}

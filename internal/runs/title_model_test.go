package runs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// titled waits until a model was asked for a title and its answer is stored or dropped.
func (h *house) titled() {
	h.t.Helper()
	h.runs.Shutdown(h.t.Context())
}

func (h *house) titleOf(conv *models.Conversation) string {
	h.t.Helper()
	got, err := h.store.GetConversation(h.t.Context(), conv.UserID, conv.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return got.Title
}

// F6: at the end of the first turn a model names the conversation. It sees no secrets, and
// what it uses is counted.
func TestAModelNamesAConversationAfterItsFirstTurn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.Titles.Generate = true })
	gate := llmtest.NewGate() // until the run's own usage is read
	h.model.On(llmtest.SystemContains("You name conversations")).
		Reply(llmtest.Text("**Title: “A trip to Mars.”**").At(gate))
	h.model.On(llmtest.UserContains("rocket")).Steps(llmtest.Text("Pack the-secret-key-123."))
	conv := h.conversation()
	run := h.send(conv, "I want to fly there with a rocket, what do I need?")
	h.events(run.ID)
	before, _ := h.answer(run.ID)
	gate.Release()
	h.titled()
	if got := h.titleOf(conv); got != "A trip to Mars" {
		t.Errorf("the title is %q", got)
	}
	asked := h.model.Requests(llmtest.SystemContains("You name conversations"))
	if len(asked) != 1 || !strings.Contains(asked[0].User(), "User: I want to fly") ||
		!strings.Contains(asked[0].User(), "Assistant: Pack") || strings.Contains(asked[0].User(), "the-secret-key") {
		t.Fatalf("asked %+v", asked)
	}
	used, _, err := h.store.TreeUsage(t.Context(), run.ID)
	if err != nil || used <= before.Usage.TotalTokens {
		t.Errorf("used %d in all, %d of them by the run, %v", used, before.Usage.TotalTokens, err)
	}
}

// F6: no model is asked where a person gave the title, where it is off, and for a later turn;
// and a model that fails leaves the title as it is.
func TestATitleStays(t *testing.T) {
	t.Parallel()
	naming := llmtest.SystemContains("You name conversations")
	for name, c := range map[string]struct {
		off, given bool
		reply      llmtest.Reply
		asked      int
	}{
		"off":     {off: true},
		"given":   {given: true},
		"failing": {reply: llmtest.Failure(400, "no"), asked: 1},
		"empty":   {reply: llmtest.Text(" \n"), asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.change(func(s *Settings) { s.Titles.Generate = !c.off })
			h.model.On(naming).Reply(c.reply)
			h.model.On(llmtest.Any()).Reply(llmtest.Text("done"))
			conv := h.conversation()
			want := "Say something"
			if c.given {
				want = "Mine"
				_, err := h.store.UpdateConversation(t.Context(), conv.UserID, conv.ID, 0,
					func(conv *models.Conversation) error {
						conv.Title, conv.TitleGiven = want, true
						return nil
					})
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{"Say something", "And now something else"} {
				h.events(h.send(conv, text).ID)
			}
			h.titled()
			if got := h.titleOf(conv); got != want || len(h.model.Requests(naming)) != c.asked {
				t.Errorf("the title is %q after %d questions", got, len(h.model.Requests(naming)))
			}
		})
	}
}

// F6: a person has a conversation named anew, also where they had named it.
func TestATitleIsMadeAnew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.Titles.Model = "m" })
	h.model.On(llmtest.SystemContains("You name conversations")).Steps(llmtest.Text("标题：去火星\nbecause"))
	h.model.On(llmtest.Any()).Reply(llmtest.Text("done"))
	conv := h.conversation()
	if _, err := h.runs.Retitle(t.Context(), conv.UserID, conv.ID); err == nil {
		t.Error("an empty conversation was named")
	}
	h.events(h.send(conv, "one").ID)
	h.events(h.send(conv, "two").ID)
	if _, err := h.runs.Retitle(t.Context(), conv.UserID, conv.ID); err != nil || h.titleOf(conv) != "去火星" {
		t.Errorf("the title is %q, %v", h.titleOf(conv), err)
	}
}

func TestWhatModelsPutAroundATitleIsDropped(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"A trip":                  "A trip",
		"\n\n\"A trip.\"\n\nSure": "A trip",
		"# A  trip":               "A trip",
		"Title: A trip":           "A trip",
		"「去火星」":                   "去火星",
		"***":                     "",
	} {
		if got := cleanTitle(answer); got != want {
			t.Errorf("cleanTitle(%q) = %q, want %q", answer, got, want)
		}
	}
	if n := utf8.RuneCountInString(cleanTitle(strings.Repeat("word ", 50))); n > titleLength+1 {
		t.Errorf("a title of %d characters", n)
	}
}

package runs

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/tools"
)

// TG4, SH8: a person edits arguments without seeing their secrets, which stay in.
func TestEditedArgumentsKeepTheirSecrets(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask with the-secret-key-123 a")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	for shown, approval := range h.waiting(run.ID, 1) {
		if strings.Contains(shown, "the-secret-key") || !mark.MatchString(shown) {
			t.Errorf("shown: %s", shown)
		}
		view := h.decide(approval, func(r *DecideRequest) {
			r.Arguments = map[string]any{"line": strings.TrimSuffix(shown, "a") + "b"}
		})
		if strings.Contains(view.EditedArguments, "the-secret-key") {
			t.Errorf("the edited arguments are shown as %s", view.EditedArguments)
		}
	}
	h.events(run.ID)
	if got := h.noted(); !slices.Equal(got, []string{"ask with the-secret-key-123 b"}) {
		t.Errorf("notes %q", got)
	}
}

func TestMarksAreReplacedByWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	original := map[string]any{"a": "x KEY1 y KEY2", "b": []any{"KEY1", 7.0}, "c": "masked-long"}
	shown := map[string]any{"a": "x [REDACTED:k] y [REDACTED:k]", "b": []any{"[REDACTED:k]", 7.0}, "c": "mas***ong"}
	secrets := coveredSecrets{}
	secrets.learn(original, shown)
	if got, err := secrets.restore(shown, shown, original); err != nil || !reflect.DeepEqual(got, any(original)) {
		t.Errorf("left as it was: %v, %v", got, err)
	}
	changed := map[string]any{"a": "z [REDACTED:k]"}
	if _, err := secrets.restore(changed, shown, original); tools.CodeOf(err) != tools.CodeInvalidArguments {
		t.Errorf("two secrets under one mark: %v", err)
	}
	one := coveredSecrets{}
	one.learn("KEY1 then [REDACTED:other]", "[REDACTED:k] then [REDACTED:other]")
	one.learn("no marks", "** marks")
	if got, err := one.restoreText("now [REDACTED:k], [REDACTED:new]"); err != nil ||
		got != "now KEY1, [REDACTED:new]" {
		t.Errorf("%q, %v", got, err)
	}
}

package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"nanoclaw/internal/llm"
)

func TestASummaryIsAskedForOnceForEachOwner(t *testing.T) {
	t.Parallel()
	var known llm.Summaries
	asked, broken := 0, true
	summarise := func(_ context.Context, messages []llm.Message) (string, error) {
		if asked++; broken {
			return "", errors.New("no")
		}
		return "summary of " + messages[0].Text, nil
	}
	one := known.Wrap("one", summarise)
	if _, err := one(t.Context(), []llm.Message{user("a")}); err == nil {
		t.Error("the error is gone")
	}
	broken = false
	for range 3 {
		if got, err := one(t.Context(), []llm.Message{user("a")}); err != nil || got != "summary of a" {
			t.Errorf("%q %v", got, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times: a failure is not kept, an answer is", asked)
	}
	for _, other := range []func(context.Context, []llm.Message) (string, error){known.Wrap("two", summarise), one} {
		if _, err := other(t.Context(), []llm.Message{user("b")}); err != nil {
			t.Error(err)
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times", asked)
	}
	if known.Wrap("one", nil) != nil {
		t.Error("no summarise became one")
	}
}

func TestOldSummariesAreForgotten(t *testing.T) {
	t.Parallel()
	var known llm.Summaries
	asked := 0
	ask := known.Wrap("", func(context.Context, []llm.Message) (string, error) { asked++; return "s", nil })
	for _, text := range []string{"first", "last"} {
		for i := range 1100 {
			if _, err := ask(t.Context(), []llm.Message{user(fmt.Sprint(text, i))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := ask(t.Context(), []llm.Message{user("last1099")}); err != nil || asked != 2200 {
		t.Errorf("the newest is forgotten: asked %d, %v", asked, err)
	}
	if _, err := ask(t.Context(), []llm.Message{user("first0")}); err != nil || asked != 2201 {
		t.Errorf("the oldest is kept: asked %d, %v", asked, err)
	}
}

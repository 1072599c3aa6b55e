package runs

import (
	"context"
	"strings"
	"testing"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/tools"
)

// ask adds a tool that asks the model of the conversation, and notes the answers.
func (h *house) addAsk(prompt tools.Prompt) {
	h.registry.Register(tools.Define("ask", "ask the model", func(ctx context.Context, call tools.Call,
		_ struct{}) (tools.Completion, error) {
		call.Settings.MaxTokens = 100 // the conversation's
		return h.runs.LLMClient().Complete(ctx, call, prompt)
	}, tools.Effect(tools.External)))
}

// TS6, OB6: a tool asks the conversation's model: with the conversation's limits,
// without secrets, and what it uses counts as the run's.
func TestAToolAsksTheModelOfItsConversation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.addAsk(tools.Prompt{System: "Be brief.", Text: "what of the-secret-key-123?", MaxTokens: 5000})
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "ask", Arguments: `{}`}),
		llmtest.Text("done"))
	h.model.On(llmtest.UserContains("what of")).Steps(llmtest.Text("little"))
	run := h.send(h.conversation(), "go")
	h.events(run.ID)
	ended, message := h.answer(run.ID)
	asked := h.model.Requests(llmtest.UserContains("what of"))
	if len(asked) != 1 || strings.Contains(asked[0].User(), "the-secret-key") || asked[0].System() != "Be brief." ||
		string(asked[0].Field("max_tokens")) != "100" && string(asked[0].Field("max_completion_tokens")) != "100" {
		t.Fatalf("asked %+v", asked)
	}
	if len(message.ToolCalls) != 1 || !strings.Contains(message.ToolCalls[0].Result,
		`"Text":"little","Model":"m","Truncated":false`) {
		t.Errorf("the call is %+v", message.ToolCalls)
	}
	used, _, err := h.store.TreeUsage(t.Context(), run.ID)
	if err != nil || h.model.Calls() != 3 || used == 0 || ended.Usage.TotalTokens != used {
		t.Errorf("%d model calls used %d, the run says %+v, %v", h.model.Calls(), used, ended.Usage, err)
	}
}

// TS6: a prompt that must not or cannot be answered is an error that says why, and
// the model is not asked.
func TestAPromptThatCannotBeAnsweredIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompt tools.Prompt
		budget bool
		code   string
	}{
		"empty": {tools.Prompt{System: "x"}, false, tools.CodeInvalidArguments},
		"longer than the context window": {tools.Prompt{Text: strings.Repeat("word ", 1<<20)}, false,
			llm.CodeContextOverflow},
		"with what must not be shown":      {tools.Prompt{Text: "the code name is OSPREY"}, false, tools.CodeBlocked},
		"with a system prompt of the kind": {tools.Prompt{System: "OSPREY", Text: "x"}, false, tools.CodeBlocked},
		"over the budget":                  {tools.Prompt{Text: "x"}, true, agent.CodeBudget},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			rules := []redact.Rule{{ID: "codename", Pattern: "OSPREY", Strategy: redact.Block}}
			if err := h.runs.Redactor.Configure(redact.Options{Rules: rules}); err != nil {
				t.Fatal(err)
			}
			failures := make(chan error, 1)
			h.registry.Register(tools.Define("ask", "ask the model", func(ctx context.Context, call tools.Call,
				_ struct{}) (int, error) {
				if c.budget {
					h.mu.Lock()
					h.settings.Budget = Budget{RunTokens: 1}
					h.mu.Unlock()
				}
				_, err := h.runs.LLMClient().Complete(ctx, call, c.prompt)
				failures <- err
				return 0, nil
			}, tools.Effect(tools.External)))
			h.model.On(llmtest.User("go")).Steps(llmtest.Calls(llmtest.Call{Name: "ask", Arguments: `{}`}),
				llmtest.Text("done"))
			h.events(h.send(h.conversation(), "go").ID)
			if failure := <-failures; tools.CodeOf(failure) != c.code {
				t.Errorf("%v has the code %q, want %q", failure, tools.CodeOf(failure), c.code)
			}
			if unasked := h.model.Unmatched(); len(unasked) != 0 {
				t.Errorf("the model was asked %+v", unasked)
			}
		})
	}
}

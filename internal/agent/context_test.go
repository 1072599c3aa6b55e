package agent

import (
	"testing"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/tools"
)

// A step is replayed so that every provider accepts it: unique call ids, valid
// arguments, a result for each call, and signed reasoning only to who said it.
func TestAStepIsReplayedAsEveryProviderAcceptsIt(t *testing.T) {
	t.Parallel()
	record := tools.Record{Function: tools.FunctionCall{Name: "a", Arguments: `{"x":1}`},
		Result: `{"success":true,"data":1}`}
	broken := tools.Record{Function: tools.FunctionCall{Name: "b", Arguments: `{"x":`},
		Result: `{"success":false,"error":"broken","code":"invalid_arguments"}`}
	step := &Step{Number: 2, ModelID: "m", Response: llm.Response{Text: "I look", Reasoning: "hm",
		Opaque: []byte(`{"signed":1}`)}, Calls: []*Call{
		{Invocation: tools.Invocation{ID: "1", Name: "a", Arguments: `{"x":1,}`}, ProviderID: "same", Record: &record},
		{Invocation: tools.Invocation{ID: "2", Name: "b", Arguments: `{"x":`}, ProviderID: "same", Record: &broken},
		{Invocation: tools.Invocation{ID: "3", Name: "c", Arguments: `{}`}},
	}}
	messages := StepMessages(step, "m", map[string]string{"1": "a note"})
	if len(messages) != 4 || messages[0].Reasoning != "hm" || string(messages[0].Opaque) != `{"signed":1}` {
		t.Fatalf("messages %+v", messages)
	}
	seen := map[string]bool{}
	for i, call := range messages[0].ToolCalls {
		if call.ID == "" || seen[call.ID] || messages[i+1].ToolCallID != call.ID || messages[i+1].Text == "" {
			t.Errorf("call %d: %+v is answered by %+v", i, call, messages[i+1])
		}
		seen[call.ID] = true
	}
	if got := messages[0].ToolCalls; got[0].Arguments != `{"x":1}` || got[1].Arguments != "{}" {
		t.Errorf("arguments %q and %q", got[0].Arguments, got[1].Arguments)
	}
	if want := record.Result + "\n\na note"; messages[1].Text != want {
		t.Errorf("the result with its note is %q", messages[1].Text)
	}
	if other := StepMessages(step, "another", nil); other[0].Reasoning != "" || other[0].Opaque != nil {
		t.Errorf("another model is shown %+v", other[0])
	}
}

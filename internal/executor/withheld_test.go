package executor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

// SH8: a result in which a rule with the strategy block finds something is
// refused as a whole, wherever it stands in it.
func TestAResultThatMustNotGoOutIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	blocked := func(text string) (string, bool) { return "plans", strings.Contains(text, "PLAN-") }
	for name, test := range map[string]struct {
		value   any
		failure error
		refused bool
	}{
		"text":            {"see PLAN-1", nil, true},
		"deep inside":     {map[string]any{"a": []any{1, map[string]any{"b": "PLAN-1"}}}, nil, true},
		"name of a value": {map[string]any{"PLAN-1": true}, nil, true},
		"escaped as JSON": {"\n\"PLAN-1\"", nil, true},
		"error":           {nil, errors.New("no file PLAN-1"), true},
		"data of an error": {nil, &tools.Error{Code: tools.CodeTimeout, Message: "too slow",
			Data: map[string]any{"out": "PLAN-1"}}, true},
		"something else":    {"see the plan", nil, false},
		"another error":     {nil, errors.New("no file"), false},
		"nothing in a list": {[]string{}, nil, false},
	} {
		b := newBench(t, func(o *Options) { o.Blocked = blocked })
		b.with("give", tools.Pure, func(context.Context, tools.Call) (any, error) { return test.value, test.failure })
		outcomes, err := b.Process(t.Context(), b.env, calls("give"))
		if err != nil {
			t.Fatal(err)
		}
		record := outcomes[0].Record
		if got := strings.Contains(record.Result, `"code":"blocked"`) && !record.Success &&
			strings.Contains(record.Result, "rule plans"); got != test.refused {
			t.Errorf("%s: %s, want it refused: %v", name, record.Result, test.refused)
		}
		if strings.Contains(record.Result, "PLAN-1") {
			t.Errorf("%s: it went out: %s", name, record.Result)
		}
	}
}

package tools

import (
	"context"
	"encoding/json"
	"testing"
)

type joinArgs struct {
	Left      string `json:"left"`
	Right     any    `json:"right,omitempty"`
	Times     int    `json:"times" default:"2"`
	ProjectID string `json:"project_id" inject:"project_id"`
}

// TS2, TS3
func TestExecuteValidatesRunsAndAnswersTheResult(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	r.Register(Define("join", "Joins.", func(_ context.Context, call Call, args joinArgs) (any, error) {
		call.Progress("half", 0.5)
		call.Pause()()
		if args.Left == "fail" {
			return nil, &Error{Code: "not_found", Message: "no left", Data: "partial"}
		}
		return args, nil
	}, Effect(Pure)))
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"success": {"join", map[string]any{"left": "l", "right": json.Number("12345678901234567890")},
			`{"success":true,"data":{"left":"l","right":12345678901234567890,"times":2,"project_id":"p"}}`},
		"a failure with data": {"join", map[string]any{"left": "fail"},
			`{"success":false,"error":"no left","code":"not_found","data":"partial"}`},
		"bad arguments": {"join", map[string]any{},
			`{"success":false,"error":"invalid arguments: \"left\" is required (a string)","code":"invalid_arguments"}`},
		"a number that is too large": {"join", map[string]any{"left": "l", "times": 1e30},
			`{"success":false,"error":"invalid arguments: \"times\" is out of range: number 1000000000000000000000000000000","code":"invalid_arguments"}`},
		"an unknown tool": {"joint", nil,
			`{"success":false,"error":"there is no tool named \"joint\"","code":"unknown_tool"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := Call{ProjectID: "p"}
			got, err := json.Marshal(r.Execute(t.Context(), c.tool, call, c.args))
			if err != nil || string(got) != c.want {
				t.Errorf("\n got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

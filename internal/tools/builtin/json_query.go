package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"nanoclaw/internal/tools"
)

const (
	maxQuery       = 10_000 // bytes of a program
	queryTime      = 5 * time.Second
	maxQueryValues = 1000 // results
)

// jqHelper runs jq programs. The library looks at its context between the steps
// of a program only: one native function, a comparison or a search, may take for
// ever, or a stack that ends the whole process.
var jqHelper = &helper{name: "jq", memory: 512 << 20, stack: 64 << 20, answer: 8 * maxProcessOutput, work: answerJQ}

// jqTask is what the helper process is given.
type jqTask struct {
	Program string `json:"program"`
	Text    string `json:"text"` // one JSON value
}

// jqAnswer is what it makes of it.
type jqAnswer struct {
	Results   []json.RawMessage `json:"results"`
	Truncated bool              `json:"truncated,omitempty"`
	Note      string            `json:"note,omitempty"`
	Code      string            `json:"code,omitempty"` // of a failure
	Failure   string            `json:"failure,omitempty"`
}

// query sets what a jq program makes of a JSON text: the result itself where it
// is one, else the list of all.
func (r *jsonProcessResult) query(ctx context.Context, program, text string) error {
	if program == "" {
		return tools.Errorf(tools.CodeInvalidArguments, `query needs query: a jq program such as ".items[0].name"`)
	}
	if len(program) > maxQuery {
		return tools.Errorf(tools.CodeInvalidArguments, "the jq program is longer than %d bytes", maxQuery)
	}
	task, err := json.Marshal(jqTask{Program: program, Text: text})
	if err != nil {
		return fmt.Errorf("hand the jq program over: %w", err)
	}
	var answer jqAnswer
	err = jqHelper.run(ctx, task, queryTime, &answer)
	switch {
	case errors.Is(err, errHelperTime):
		return tools.Errorf(tools.CodeTimeout, "the jq program was stopped after %v: simplify it", queryTime)
	case errors.Is(err, errHelperDied):
		return tools.Errorf("too_large", "the jq program was stopped: it takes too much memory or nests too deeply")
	case err != nil:
		return err
	case answer.Failure != "":
		return &tools.Error{Code: answer.Code, Message: answer.Failure}
	}
	count := len(answer.Results)
	r.Count, r.Truncated, r.Note = &count, answer.Truncated, answer.Note
	if count == 1 && !r.Truncated {
		r.Result = answer.Results[0]
	} else {
		r.Result = answer.Results
	}
	return nil
}

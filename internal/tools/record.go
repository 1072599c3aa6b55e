package tools

import (
	"encoding/json"
	"errors"
)

// Result is what a tool answers, in its JSON shape:
// {"success":true,"data":…} or {"success":false,"error":"…","code":"…"};
// a failure may carry data too (partial output, a traceback). Where secrets in it
// were redacted, "redacted" is their number.
type Result struct {
	Success bool   `json:"success"`
	Data    any    `json:"data,omitempty"`
	Error   string `json:"error,omitempty"`
	Code    string `json:"code,omitempty"`

	Redacted int `json:"redacted,omitempty"` // set by the executor alone
}

// MarshalJSON writes a success with its data, null included, and a failure with
// its error and code, and its data where there is some.
func (r Result) MarshalJSON() ([]byte, error) {
	if r.Success {
		return json.Marshal(struct {
			Success bool `json:"success"`
			Data    any  `json:"data"`
		}{true, r.Data})
	}
	type failure struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Code    string `json:"code"`
		Data    any    `json:"data,omitempty"`
	}
	return json.Marshal(failure{Error: r.Error, Code: r.Code, Data: r.Data})
}

// OK is the result of a call that went well.
func OK(data any) Result { return Result{Success: true, Data: data} }

// Failed is the result of a call that went wrong, with the error's code and,
// for an *Error, its data.
func Failed(err error) Result {
	r := Result{Error: err.Error(), Code: CodeOf(err)}
	var own *Error
	if errors.As(err, &own) {
		r.Data = own.Data
	}
	return r
}

// FunctionCall is the function part of a tool call in the OpenAI format.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Record is a tool call everywhere: in the store, in the stream, in the API.
// Result is a JSON text that always parses. ExecutionTime is in seconds.
type Record struct {
	ID            string       `json:"id"`
	Type          string       `json:"type"` // always "function"
	Function      FunctionCall `json:"function"`
	Result        string       `json:"result"`
	Success       bool         `json:"success"`
	Skipped       bool         `json:"skipped"`
	Cached        bool         `json:"cached"`
	DuplicateOf   string       `json:"duplicate_of,omitempty"`
	ExecutionTime float64      `json:"execution_time"`
	AgentPath     string       `json:"agent_path"`

	Images []Image    `json:"images,omitempty" doc:"Images of the result; GET /uploads/{upload_id} has the bytes."`
	Files  []SentFile `json:"files,omitempty" doc:"Files that the call handed to the person; GET /uploads/{upload_id} has the bytes."`
}

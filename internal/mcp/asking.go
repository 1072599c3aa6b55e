package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

const (
	// maxQuestion is how long a question of a server may be, in bytes: a person reads it.
	maxQuestion = 32 << 10
	// maxRounds is how often one call may come back with questions.
	maxRounds = 10
)

// Form is what a server wants to know of a person in the middle of a call.
type Form struct {
	Server  string
	Message string
	Fields  string         // what is asked for: a JSON Schema
	Start   map[string]any // its fields with their defaults; null: the field has none
	// Fill checks what a person wrote and adds the defaults. The error, an
	// *tools.Error, says what is missing or wrong.
	Fill func(written map[string]any) (map[string]any, error)
}

// Sampling is what a server wants to ask a model.
type Sampling struct {
	Server      string
	System      string
	Messages    []SamplingText
	MaxTokens   int
	Temperature float64 // 0: the model's default
}

// SamplingText is one message of it.
type SamplingText struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

// Sampled is a model's answer.
type Sampled struct {
	Text, Model string
	CutOff      bool // it reached the limit of tokens
}

// People answer what servers ask in the middle of a call. Waiting does not count
// against the call's time limit, and ends with ctx.
type People interface {
	// Fill asks for a form. Nobody fills it in: the content is nil, and refusal says why.
	Fill(ctx context.Context, call tools.Call, form Form) (content map[string]any, refusal string)
	// Sample asks whether the model may answer, and has it answer. The error is for
	// the server, also where a person refused.
	Sample(ctx context.Context, call tools.Call, request Sampling) (Sampled, error)
}

// underWay is a call that the server is working on.
type underWay struct {
	ctx    context.Context
	call   tools.Call
	number int64
	notes  *progressNotes
}

// canAsk adds to the options what servers may ask for.
func (s *session) canAsk(options *mcp.ClientOptions) {
	options.Capabilities = &mcp.ClientCapabilities{} // no roots
	if s.server.servers.People == nil {
		return
	}
	options.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
	options.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return asking(ctx, s, r.Params, s.fill)
	}
	s.canSample(options)
}

// recovered refuses the requests of a server that the library panics over, as over
// a question without parameters: they come in goroutines of its own.
func (s *server) recovered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			if panicked := recover(); panicked != nil {
				s.servers.Logger.Warn("a request of an MCP server cannot be handled", "server", s.name, "method",
					method, "panic", panicked)
				err = refuse(jsonrpc.CodeInvalidParams, "the request cannot be handled")
			}
		}()
		return next(ctx, method, r)
	}
}

// asking answers a request that came by itself, on behalf of the call under way.
// The wait ends with the call as with the request.
func asking[P, R any](ctx context.Context, s *session, params P, answer func(context.Context, tools.Call, P) (R,
	error)) (none R, err error) {
	one, err := s.asker()
	if err != nil {
		return none, err
	}
	both, cancel := context.WithCancelCause(one.ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	return answer(both, one.call, params)
}

// asker finds the call that a request of the server belongs to. The protocol does
// not say: it is clear where all calls under way belong to one run.
func (s *session) asker() (*underWay, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var newest *underWay
	for _, one := range s.calls {
		if newest != nil && newest.call.RootRunID != one.call.RootRunID {
			return nil, refuse(jsonrpc.CodeInvalidRequest,
				"calls of several conversations are under way, so that it is not clear who is to be asked")
		}
		if newest == nil || newest.number < one.number {
			newest = one
		}
	}
	if newest == nil || newest.call.RunID == "" {
		return nil, refuse(jsonrpc.CodeInvalidRequest,
			"people and models can be asked in the middle of a tool call of a conversation only")
	}
	return newest, nil
}

// answerQuestions answers what a call came back with (input_required).
func (s *session) answerQuestions(ctx context.Context, call tools.Call,
	questions mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	if s.server.servers.People == nil || call.RunID == "" {
		return nil, refuse(jsonrpc.CodeInvalidRequest,
			"the tool asks for more input, which can be given in a conversation only")
	}
	answers := mcp.InputResponseMap{}
	for _, id := range slices.Sorted(maps.Keys(questions)) {
		var err error
		switch question := questions[id].(type) {
		case *mcp.ElicitParams:
			answers[id], err = s.fill(ctx, call, question)
		case *samplingParams:
			answers[id], err = s.sample(ctx, call, question)
		default:
			err = refuse(jsonrpc.CodeInvalidParams, "the tool asks for something that is not offered")
		}
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func (s *session) fill(ctx context.Context, call tools.Call, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if params.Mode == "url" || params.URL != "" {
		return decline("opening an address is not supported: ask with a form"), nil
	}
	form, err := s.form(params)
	if err != nil {
		return nil, refuse(jsonrpc.CodeInvalidParams, "the form cannot be shown: %v", err)
	}
	content, refusal := s.server.servers.People.Fill(ctx, call, form)
	if content == nil {
		return decline(refusal), nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// decline tells the server that there is no answer, and why.
func decline(reason string) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "decline", Meta: mcp.Meta{"reason": reason}}
}

// form makes the server's question one that people can be asked.
func (s *session) form(params *mcp.ElicitParams) (Form, error) {
	form := Form{Server: s.server.name, Message: strings.TrimSpace(params.Message), Start: map[string]any{}}
	asked := map[string]any{"type": "object"}
	if params.RequestedSchema != nil {
		encoded, err := json.Marshal(params.RequestedSchema)
		if err != nil {
			return form, err
		}
		if err := json.Unmarshal(encoded, &asked); err != nil {
			return form, fmt.Errorf("its schema is no object: %w", err)
		}
	}
	if asked["type"] != "object" {
		return form, fmt.Errorf("its schema is not of type object")
	}
	fields, _ := asked["properties"].(map[string]any)
	for name, field := range fields {
		one, is := field.(map[string]any)
		switch {
		case !is:
			return form, fmt.Errorf("the field %q has no schema", name)
		case one["type"] == "object":
			return form, fmt.Errorf("the field %q holds other fields", name)
		}
		form.Start[name] = one["default"]
	}
	shown, err := json.Marshal(asked)
	if err != nil {
		return form, err
	}
	if form.Fields = string(shown); len(form.Message)+len(form.Fields) > maxQuestion {
		return form, fmt.Errorf("it is %d bytes long, at most %d are taken", len(form.Message)+len(form.Fields),
			maxQuestion)
	}
	asked["additionalProperties"] = false // a person's slip is no answer
	encoded, err := json.Marshal(asked)
	if err != nil {
		return form, err
	}
	var checked tools.Tool
	if err := json.Unmarshal(encoded, &checked.Schema); err != nil {
		return form, fmt.Errorf("its schema cannot be used: %w", err)
	}
	form.Fill = func(written map[string]any) (map[string]any, error) {
		text, err := json.Marshal(written)
		if err != nil {
			return nil, tools.Errorf(tools.CodeInvalidArguments, "%v", err)
		}
		filled, _, err := tools.ParseArguments(string(text))
		if err != nil {
			return nil, err
		}
		if err := tools.Validate(checked.Schema, filled); err != nil {
			return nil, err
		}
		return ordinary(filled)
	}
	return form, nil
}

// ordinary has numbers as encoding/json reads them, which the protocol's library checks.
func ordinary(content map[string]any) (read map[string]any, err error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	return read, json.Unmarshal(text, &read)
}

// unanswered tells the server why it has no answer.
func (s *session) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return refuse(jsonrpc.CodeInternalError, "the call ended before there was an answer")
	}
	return refuse(jsonrpc.CodeInternalError, "%s", s.server.servers.Redact(err.Error()))
}

func refuse(code int64, format string, a ...any) error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, a...)}
}

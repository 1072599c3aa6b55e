package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
)

// Script is a list of rules that was read from JSON.
type Script struct {
	models []string
	rules  []scriptRule
}

type scriptFile struct {
	Models []string     `json:"models"`
	Rules  []scriptRule `json:"rules"`
}

type scriptRule struct {
	When     scriptMatch   `json:"when"`
	Reply    *scriptReply  `json:"reply"`
	Steps    []scriptReply `json:"steps"`
	Sequence []scriptReply `json:"sequence"`
}

type scriptMatch struct {
	User               string       `json:"user"`
	UserContains       string       `json:"user_contains"`
	UserMatches        string       `json:"user_matches"`
	SystemContains     string       `json:"system_contains"`
	Model              string       `json:"model"`
	HasToolResults     *bool        `json:"has_tool_results"`
	ToolResultContains string       `json:"tool_result_contains"`
	OffersTool         string       `json:"offers_tool"`
	Call               int          `json:"call"`
	Step               int          `json:"step"`
	Not                *scriptMatch `json:"not"`
}

type scriptReply struct {
	Text         string            `json:"text"`
	Thinking     string            `json:"thinking"`
	Calls        []scriptCall      `json:"calls"`
	Finish       string            `json:"finish"`
	Usage        Usage             `json:"usage"`
	ChunkRunes   int               `json:"chunk_runes"`
	FirstByte    scriptDuration    `json:"first_byte"`
	Between      scriptDuration    `json:"between"`
	Status       int               `json:"status"`
	Headers      map[string]string `json:"headers"`
	Body         string            `json:"body"`
	ErrorMessage string            `json:"error_message"`
	ErrorCode    string            `json:"error_code"`
	ErrorType    string            `json:"error_type"`
	Faults       []Fault           `json:"faults"`
	FaultChunk   int               `json:"fault_chunk"`
	PadLine      int               `json:"pad_line"`
	Refuse       []string          `json:"refuse"`
	Gate         string            `json:"gate"`
	GateChunk    int               `json:"gate_chunk"`
}

type scriptCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object, or a string that is sent as it is
}

type scriptDuration time.Duration

func (d *scriptDuration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = scriptDuration(parsed)
	return err
}

// Load reads a script. For example:
//
//	{"rules": [
//	  {"when": {"user_contains": "weather"},
//	   "steps": [{"calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]},
//	             {"text": "The tool said: {{last}}"}]},
//	  {"when": {"user": "crash"}, "sequence": [{"status": 503}, {"text": "again"}]},
//	  {"reply": {"text": "Hello.", "first_byte": "50ms", "between": "5ms", "faults": ["crlf"]}}
//	]}
//
// A rule has one of reply, steps (by Request.Step) and sequence (by how often the
// rule was asked); its when is empty where it answers everything. Unknown keys
// and faults are errors. A reply's gate names a gate that holds it, before its
// first byte or before the chunk gate_chunk: see NamedGate.
func Load(r io.Reader) (*Script, error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var file scriptFile
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	for i, rule := range file.Rules {
		if err := rule.check(); err != nil {
			return nil, fmt.Errorf("read the script: rules[%d]: %w", i, err)
		}
	}
	return &Script{models: file.Models, rules: file.Rules}, nil
}

func (r scriptRule) check() error {
	kinds := 0
	for _, given := range []bool{r.Reply != nil, r.Steps != nil, r.Sequence != nil} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return errors.New("needs one of reply, steps and sequence")
	}
	for match := &r.When; match != nil; match = match.Not {
		if _, err := regexp.Compile(match.UserMatches); err != nil {
			return fmt.Errorf("user_matches: %w", err)
		}
	}
	for _, reply := range r.replies() {
		for _, fault := range reply.Faults {
			if !slices.Contains(allFaults, fault) {
				return fmt.Errorf("unknown fault %q", fault)
			}
		}
	}
	return nil
}

func (r scriptRule) replies() []scriptReply {
	replies := slices.Concat(r.Steps, r.Sequence)
	if r.Reply != nil {
		replies = append(replies, *r.Reply)
	}
	return replies
}

// Use adds the script's rules to the server's.
func (s *Server) Use(script *Script) {
	if len(script.models) > 0 {
		s.Models(script.models...)
	}
	for _, r := range script.rules {
		rule := s.On(r.When.match())
		replies := make([]Reply, 0, 1)
		for _, reply := range r.replies() {
			next := reply.reply()
			if reply.Gate != "" {
				next.Gate, next.GateChunk = s.NamedGate(reply.Gate), reply.GateChunk
			}
			replies = append(replies, next)
		}
		switch {
		case r.Reply != nil:
			rule.Reply(replies[0])
		case r.Steps != nil:
			rule.Steps(replies...)
		default:
			rule.Sequence(replies...)
		}
	}
}

func (m scriptMatch) match() Match {
	var matches []Match
	add := func(given bool, match Match) {
		if given {
			matches = append(matches, match)
		}
	}
	add(m.User != "", User(m.User))
	add(m.UserContains != "", UserContains(m.UserContains))
	add(m.UserMatches != "", UserMatches(m.UserMatches))
	add(m.SystemContains != "", SystemContains(m.SystemContains))
	add(m.Model != "", ModelIs(m.Model))
	add(m.ToolResultContains != "", ToolResultContains(m.ToolResultContains))
	add(m.OffersTool != "", OffersTool(m.OffersTool))
	add(m.Call != 0, AtCall(m.Call))
	add(m.Step != 0, AtStep(m.Step))
	if m.HasToolResults != nil {
		add(*m.HasToolResults, HasToolResults())
		add(!*m.HasToolResults, Not(HasToolResults()))
	}
	if m.Not != nil {
		matches = append(matches, Not(m.Not.match()))
	}
	return All(matches...)
}

func (r scriptReply) reply() Reply {
	reply := Reply{
		Text: r.Text, Thinking: r.Thinking, Finish: r.Finish, Usage: r.Usage, ChunkRunes: r.ChunkRunes,
		FirstByte: time.Duration(r.FirstByte), Between: time.Duration(r.Between),
		Status: r.Status, Headers: r.Headers, Body: r.Body,
		ErrorMessage: r.ErrorMessage, ErrorCode: r.ErrorCode, ErrorType: r.ErrorType,
		Faults: r.Faults, FaultChunk: r.FaultChunk, PadLine: r.PadLine, Refuse: r.Refuse,
	}
	for _, call := range r.Calls {
		reply.Calls = append(reply.Calls, Call{ID: call.ID, Name: call.Name, Arguments: argumentText(call.Arguments)})
	}
	return reply
}

// argumentText is what a call sends: a string as it is, anything else as compact JSON.
func argumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

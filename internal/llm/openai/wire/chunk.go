package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"nanoclaw/internal/llm"
)

// ErrSyntax says that a payload is not JSON, or not of the protocol's shape.
var ErrSyntax = errors.New("broken JSON")

// Chunk is one payload of an answer. Its bytes are valid until the next chunk
// is read; they may end inside a character.
type Chunk struct {
	Content   []byte
	Reasoning []byte
	Details   []byte // reasoning_details: a JSON array; empty: none
	Fragments []Fragment
	Finish    string
	Whole     bool       // the choice had a message, not a delta: the whole answer
	Usage     *llm.Usage // nil: none came
	Error     []byte     // JSON (or text) of what the server calls an error; nil: none
}

// Fragment is a piece of a tool call.
type Fragment struct {
	Index     int // -1: none was given
	ID        string
	Name      string
	Arguments []byte
	Extra     []byte // extra_content: what the provider wants back with the call
}

// parse reads one payload.
func (c *Chunk) parse(data []byte) error {
	*c = Chunk{}
	object := bytes.TrimSpace(data)
	if len(object) > 0 && object[0] == '[' { // Google wraps its errors in an array
		var list []json.RawMessage
		if err := json.Unmarshal(object, &list); err != nil {
			return fmt.Errorf("%w: %w", ErrSyntax, err)
		}
		if len(list) == 0 || list[0][0] != '{' {
			return nil
		}
		object = list[0]
	}
	var p payload
	if err := json.Unmarshal(object, &p); err != nil {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	if object[0] != '{' {
		return ErrSyntax
	}
	c.Usage = (*llm.Usage)(p.Usage)
	switch {
	case !isAny(p.Error, `""`, "false"):
		c.Error = p.Error
	case string(p.Object) == `"error"`, p.Choices == nil && (!isAny(p.Message) || !isAny(p.Detail)):
		c.Error = data
	}
	if len(p.Choices) > 0 {
		c.addChoice(&p.Choices[0]) // one answer was asked for
	}
	return nil
}

// isAny reports whether a value is missing, null or one of some texts.
func isAny(raw json.RawMessage, texts ...string) bool {
	for _, text := range append(texts, "", "null") {
		if string(raw) == text {
			return true
		}
	}
	return false
}

func (c *Chunk) addChoice(first *choice) {
	c.Finish = string(first.FinishReason)
	if first.Usage != nil {
		c.Usage = (*llm.Usage)(first.Usage)
	}
	said := first.Delta
	if said == nil && first.Message != nil {
		said, c.Whole = first.Message, true
	}
	if said == nil {
		return
	}
	c.Content = append(said.Content.text, said.Refusal...)
	c.Reasoning = append(said.ReasoningContent, said.Content.thinking...)
	if len(c.Reasoning) == 0 { // servers that send both send the same text twice
		c.Reasoning = said.Reasoning
	}
	if details := said.ReasoningDetails; len(details) > 0 && details[0] == '[' {
		c.Details = details
	}
	for _, f := range said.ToolCalls {
		if f == nil {
			continue
		}
		fragment := Fragment{Index: -1, ID: string(f.ID), Name: string(f.Function.Name),
			Arguments: f.Function.Arguments}
		if f.Index != nil {
			fragment.Index = int(*f.Index)
		}
		if !isAny(f.Extra) {
			fragment.Extra = f.Extra
		}
		c.Fragments = append(c.Fragments, fragment)
	}
	if f := said.FunctionCall; f != nil {
		c.Fragments = append(c.Fragments, Fragment{Name: string(f.Name), Arguments: f.Arguments})
	}
}

// The shapes of the protocol. A value of another type than expected is ignored
// where servers are known to send one.
type (
	payload struct {
		Choices []choice        `json:"choices"`
		Usage   *usage          `json:"usage"`
		Error   json.RawMessage `json:"error"`
		Object  json.RawMessage `json:"object"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	choice struct {
		Delta        *delta `json:"delta"`
		Message      *delta `json:"message"`
		FinishReason text   `json:"finish_reason"`
		Usage        *usage `json:"usage"` // Moonshot
	}
	delta struct {
		Content          content         `json:"content"`
		Refusal          text            `json:"refusal"`
		ReasoningContent text            `json:"reasoning_content"`
		Reasoning        text            `json:"reasoning"`
		ReasoningDetails json.RawMessage `json:"reasoning_details"`
		ToolCalls        list[*toolCall] `json:"tool_calls"`
		FunctionCall     *functionCall   `json:"function_call"`
	}
	toolCall struct {
		Index    *count          `json:"index"`
		ID       text            `json:"id"`
		Function functionCall    `json:"function"`
		Extra    json.RawMessage `json:"extra_content"`
	}
	functionCall struct {
		Name      text      `json:"name"`
		Arguments arguments `json:"arguments"`
	}
)

// list is an array, or a value that should stand in one.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var one T
	switch raw[0] {
	case '[':
		return json.Unmarshal(raw, (*[]T)(l))
	case '{':
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

// arguments are a string, or the object itself.
type arguments []byte

func (a *arguments) UnmarshalJSON(raw []byte) error {
	if raw[0] == '{' || raw[0] == '[' {
		*a = bytes.Clone(raw)
		return nil
	}
	return (*text)(a).UnmarshalJSON(raw)
}

// content is a string or an array of parts: strings, {"type":"text","text":…} and
// Mistral's {"type":"thinking","thinking":[{"type":"text","text":…}]}.
type content struct{ text, thinking text }

func (c *content) UnmarshalJSON(raw []byte) error {
	var parts []json.RawMessage
	if raw[0] != '[' {
		return c.text.UnmarshalJSON(raw)
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, raw := range parts {
		var part struct {
			Text     text    `json:"text"`
			Thinking content `json:"thinking"`
		}
		into := any(&part)
		if raw[0] != '{' {
			into = &part.Text
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return err
		}
		c.text = append(c.text, part.Text...)
		c.thinking = append(append(c.thinking, part.Thinking.text...), part.Thinking.thinking...)
	}
	return nil
}

// usage is in tokens.
type usage llm.Usage

func (u *usage) UnmarshalJSON(raw []byte) error {
	type details struct {
		Cached    count `json:"cached_tokens"`
		Reasoning count `json:"reasoning_tokens"`
	}
	var said struct {
		Prompt            count         `json:"prompt_tokens"`
		Completion        count         `json:"completion_tokens"`
		Total             count         `json:"total_tokens"`
		Moonshot          count         `json:"cached_tokens"`
		DeepSeek          count         `json:"prompt_cache_hit_tokens"`
		PromptDetails     list[details] `json:"prompt_tokens_details"`
		CompletionDetails list[details] `json:"completion_tokens_details"`
	}
	if raw[0] != '{' {
		return nil
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return err
	}
	cached, reasoning := max(said.Moonshot, said.DeepSeek), count(0)
	for _, d := range said.PromptDetails {
		cached = max(cached, d.Cached)
	}
	for _, d := range said.CompletionDetails {
		reasoning = d.Reasoning
	}
	*u = usage{
		PromptTokens: int(said.Prompt), CompletionTokens: int(said.Completion),
		TotalTokens:  int(cmp.Or(said.Total, said.Prompt+said.Completion)),
		CachedTokens: int(cached), ReasoningTokens: int(reasoning),
	}
	return nil
}

// count is a number of something; anything else counts as 0.
type count int

func (c *count) UnmarshalJSON(raw []byte) error {
	var number float64
	if json.Unmarshal(raw, &number) == nil && number > 0 && number < 1e15 {
		*c = count(number)
	}
	return nil
}

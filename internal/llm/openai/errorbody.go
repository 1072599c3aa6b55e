package openai

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errorBody is what an error answer says, whatever its shape.
type errorBody struct {
	text, code, kind string
	status           int // where the body names an HTTP status
}

// maxErrorText bounds what a provider can put into our messages, in bytes.
const maxErrorText = 600

type errorFields struct {
	Error    json.RawMessage `json:"error"`
	Message  json.RawMessage `json:"message"`
	Msg      string          `json:"msg"`
	Detail   json.RawMessage `json:"detail"`
	Code     json.RawMessage `json:"code"`
	Type     string          `json:"type"`
	Status   json.RawMessage `json:"status"`
	Param    json.RawMessage `json:"param"`
	Metadata struct {
		Raw string `json:"raw"` // OpenRouter: the upstream's own words
	} `json:"metadata"`
}

// readErrorBody understands an error object, alone or in "error", a list of
// them, a text, FastAPI's details, and web pages.
func readErrorBody(body []byte) errorBody {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var fields errorFields
	if json.Unmarshal(body, &fields) != nil {
		return errorBody{text: plainText(body)}
	}
	var inner errorFields
	switch {
	case isObject(fields.Error) && json.Unmarshal(fields.Error, &inner) == nil:
		if len(inner.Code) == 0 || string(inner.Code) == "null" {
			inner.Code = fields.Code
		}
		fields = inner
	case len(fields.Error) > 0 && string(fields.Error) != "null":
		fields.Message = fields.Error
	}
	said := errorBody{code: scalar(fields.Code), kind: fields.Type}
	if said.kind == "" {
		said.kind = scalar(fields.Status) // Google's INVALID_ARGUMENT
	}
	if n, err := strconv.Atoi(said.code); err == nil && n >= 400 && n < 600 {
		said.status = n
	}
	said.text = scalar(fields.Message)
	for _, other := range []string{fields.Msg, details(fields.Detail), details(fields.Message)} {
		if said.text == "" {
			said.text = other
		}
	}
	if fields.Metadata.Raw != "" {
		said.text += ": " + fields.Metadata.Raw
	}
	if said.text == "" {
		said.text = plainText(body)
	}
	said.text = shorten(said.text)
	return said
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// scalar is a string or a number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// details is FastAPI's detail: a text, or a list of {loc, msg}, perhaps in another detail.
func details(raw json.RawMessage) string {
	if text := scalar(raw); text != "" {
		return text
	}
	var nested struct {
		Detail json.RawMessage `json:"detail"`
	}
	if isObject(raw) && json.Unmarshal(raw, &nested) == nil && len(nested.Detail) > 0 {
		raw = nested.Detail
	}
	var list []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var parts []string
	for _, item := range list {
		text := item.Msg
		if len(item.Loc) > 0 {
			if name, ok := item.Loc[len(item.Loc)-1].(string); ok {
				text = name + ": " + text
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

var (
	titleOf = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	tagsOf  = regexp.MustCompile(`(?s)<[^>]*>`)
)

// plainText is a body that is not JSON: a page's title, or the text itself.
func plainText(body []byte) string {
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	if strings.HasPrefix(text, "<") {
		if title := titleOf.FindStringSubmatch(text); title != nil {
			return shorten("a web page: " + strings.TrimSpace(title[1]))
		}
		return shorten("a web page: " + strings.Join(strings.Fields(tagsOf.ReplaceAllString(text, " ")), " "))
	}
	return shorten(text)
}

// shorten cuts a text at a character.
func shorten(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	cut := maxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"nanoclaw/internal/tools"
)

//go:embed json_process.md
var jsonProcessDoc string

func init() {
	tools.Register(tools.Define("json_process", jsonProcessDoc, jsonProcess,
		tools.Category("data"), tools.Effect(tools.Pure)))
}

type jsonProcessArgs struct {
	JSONString string  `json:"json_string" jsonschema:"the JSON text"`
	Operation  string  `json:"operation" jsonschema:"what to do with it" enum:"parse,validate,format,minify,keys,query,merge,diff"`
	Query      string  `json:"query,omitempty" jsonschema:"for query: the jq program"`
	Other      *string `json:"other,omitempty" jsonschema:"for merge and diff: the second JSON text"`
}

type jsonProcessResult struct {
	Operation string `json:"operation"`
	Result    any    `json:"result"`
	Type      string `json:"type,omitempty"`  // of what parse read
	Count     *int   `json:"count,omitempty"` // of keys, items, results or differences
	Truncated bool   `json:"truncated,omitempty"`
	Note      string `json:"note,omitempty"`
}

// jsonValidity is the result of validate.
type jsonValidity struct {
	Valid bool   `json:"valid"`
	Error string `json:"error,omitempty"`
	*jsonPosition
}

func jsonProcess(ctx context.Context, _ tools.Call, args jsonProcessArgs) (jsonProcessResult, error) {
	result := jsonProcessResult{Operation: args.Operation}
	value, err := parseJSON("json_string", args.JSONString)
	if args.Operation == "validate" {
		result.Result = validity(err)
		return result, nil
	}
	if err != nil {
		return jsonProcessResult{}, err
	}
	switch args.Operation {
	case "parse":
		result.Result, result.Type = value, jsonType(value)
	case "format":
		if indentedSize(args.JSONString) > 4*maxProcessOutput { // deep nesting makes more white space than text
			return jsonProcessResult{}, errTooMuchText
		}
		var out bytes.Buffer
		if err := json.Indent(&out, bytes.TrimSpace([]byte(args.JSONString)), "", "  "); err != nil {
			return jsonProcessResult{}, fmt.Errorf("lay the JSON out: %w", err)
		}
		result.Result = out.String()
	case "minify":
		var out bytes.Buffer
		if err := json.Compact(&out, []byte(args.JSONString)); err != nil {
			return jsonProcessResult{}, fmt.Errorf("minify the JSON: %w", err)
		}
		result.Result = out.String()
	case "keys":
		err = result.keys(args.JSONString, value)
	case "query":
		err = result.query(ctx, args.Query, args.JSONString)
	case "merge", "diff":
		err = result.combine(value, args)
	}
	if err != nil {
		return jsonProcessResult{}, err
	}
	return result, nil
}

// keys sets the names of an object in the order of the text, or the length of a list.
func (r *jsonProcessResult) keys(text string, value any) error {
	switch value := value.(type) {
	case map[string]any:
		names, err := namesInOrder(text)
		if err != nil {
			return err
		}
		count := len(names)
		r.Result, r.Count = names, &count
	case []any:
		count := len(value)
		r.Result, r.Count, r.Note = []string{}, &count, fmt.Sprintf("it is a list with %d items and has no keys", count)
	default:
		return tools.Errorf(tools.CodeInvalidArguments, "a %s has no keys: they are what an object has",
			jsonType(value))
	}
	return nil
}

func (r *jsonProcessResult) combine(value any, args jsonProcessArgs) error {
	if args.Other == nil {
		return tools.Errorf(tools.CodeInvalidArguments, "%s needs other: the second JSON text", args.Operation)
	}
	other, err := parseJSON("other", *args.Other)
	if err != nil {
		return err
	}
	if args.Operation == "merge" {
		r.Result = mergeJSON(value, other)
		return nil
	}
	var d jsonDiff
	d.compare(value, other)
	count := d.count
	r.Result, r.Count, r.Truncated = d.changes(), &count, d.count > len(d.list)
	return nil
}

func validity(err error) jsonValidity {
	if err == nil {
		return jsonValidity{Valid: true}
	}
	invalid := jsonValidity{Error: err.Error()}
	if failure, ok := err.(*tools.Error); ok {
		invalid.jsonPosition, _ = failure.Data.(*jsonPosition)
	}
	return invalid
}

func jsonType(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

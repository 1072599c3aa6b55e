package builtin

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"nanoclaw/internal/tools"
)

//go:embed text_process.md
var textProcessDoc string

func init() {
	tools.Register(tools.Define("text_process", textProcessDoc, textProcess,
		tools.Category("data"), tools.Effect(tools.Pure)))
}

type textProcessArgs struct {
	Text        string  `json:"text" jsonschema:"the text"`
	Operation   string  `json:"operation" jsonschema:"what to do with it" enum:"count,lines,words,upper,lower,title,trim,reverse,sort,unique,replace,regex_extract,split,base64_encode,base64_decode,url_encode,url_decode,hash"`
	Pattern     string  `json:"pattern,omitempty" jsonschema:"for replace and regex_extract; RE2"`
	Replacement string  `json:"replacement,omitempty" jsonschema:"for replace; groups are $1 or ${name}"`
	Regex       bool    `json:"regex,omitempty" jsonschema:"for replace: pattern is no plain text"`
	Separator   *string `json:"separator,omitempty" jsonschema:"for split; default a line break"`
	Order       string  `json:"order,omitempty" jsonschema:"for sort" enum:"asc,desc" default:"asc"`
	Numeric     bool    `json:"numeric,omitempty" jsonschema:"for sort: by the number at the beginning of each line"`
	Algorithm   string  `json:"algorithm,omitempty" jsonschema:"for hash" enum:"md5,sha1,sha256,sha512" default:"sha256"`
}

type textProcessResult struct {
	Operation string `json:"operation"`
	Result    any    `json:"result"`          // text, or a list, or for count an object
	Count     *int   `json:"count,omitempty"` // of a list, or of replacements
	Truncated bool   `json:"truncated,omitempty"`
	Note      string `json:"note,omitempty"`
}

const (
	maxProcessText   = 1 << 20 // bytes of a text or a JSON value
	maxProcessOutput = 1 << 20 // bytes
	maxProcessItems  = 10_000  // of a list
)

// textOperations are those that take nothing but the text.
var textOperations = map[string]func(text string) (any, error){
	"count":   func(text string) (any, error) { return countText(text), nil },
	"lines":   func(text string) (any, error) { return splitLines(text), nil },
	"words":   func(text string) (any, error) { return wordsOf(text), nil },
	"upper":   func(text string) (any, error) { return cases.Upper(language.Und).String(text), nil },
	"lower":   func(text string) (any, error) { return cases.Lower(language.Und).String(text), nil },
	"title":   func(text string) (any, error) { return cases.Title(language.Und).String(text), nil },
	"trim":    func(text string) (any, error) { return strings.TrimSpace(text), nil },
	"reverse": func(text string) (any, error) { return reverseText(text), nil },
	"unique":  func(text string) (any, error) { return strings.Join(uniqueLines(text), "\n"), nil },

	"base64_encode": encodeBase64Text,
	"base64_decode": decodeBase64Text,
	"url_encode":    encodeURL,
	"url_decode":    decodeURL,
}

func textProcess(_ context.Context, _ tools.Call, args textProcessArgs) (textProcessResult, error) {
	if len(args.Text) > maxProcessText {
		return textProcessResult{}, tools.Errorf("too_large", "the text has %d bytes; at most %d are processed at once",
			len(args.Text), maxProcessText)
	}
	result := textProcessResult{Operation: args.Operation}
	var err error
	switch args.Operation {
	case "sort":
		result.Result = sortLines(args.Text, args.Order, args.Numeric)
	case "split":
		result.Result = splitText(args.Text, args.Separator)
	case "hash":
		result.Result = hashText(args.Text, args.Algorithm)
	case "replace":
		err = result.replace(args)
	case "regex_extract":
		err = result.extract(args)
	default:
		result.Result, err = textOperations[args.Operation](args.Text)
	}
	if err != nil {
		return textProcessResult{}, err
	}
	result.bound()
	return result, nil
}

// bound cuts a list that is too long and counts it.
func (r *textProcessResult) bound() {
	list, isList := r.Result.([]string)
	if !isList {
		return
	}
	count := len(list)
	if r.Count == nil {
		r.Count = &count
	}
	if count > maxProcessItems {
		r.Result, r.Truncated = list[:maxProcessItems], true
	}
}

// splitLines is the lines without their ends; a line end at the end of the text
// begins no further line.
func splitLines(text string) []string {
	if text == "" {
		return []string{}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func uniqueLines(text string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(splitLines(text), func(line string) bool {
		repeated := seen[line]
		seen[line] = true
		return repeated
	})
}

func splitText(text string, separator *string) []string {
	if separator == nil {
		return splitLines(text)
	}
	return strings.SplitN(text, *separator, maxProcessItems+2) // one more than is shown tells that there is more
}

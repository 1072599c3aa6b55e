package wordcount

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"nanoclaw/internal/tools"
)

//go:embed word_frequency.md
var wordFrequencyDoc string

// init is all that it takes: the tool appears in the API, on the page and in the
// models' list.
func init() {
	tools.Register(tools.Define("word_frequency", wordFrequencyDoc, wordFrequency,
		tools.Category("data"), tools.Effect(tools.Pure)))
}

// wordFrequencyArgs is what the model fills in. The JSON Schema that it sees, and
// that its arguments are checked against, is made from these fields and tags.
type wordFrequencyArgs struct {
	Text string `json:"text" jsonschema:"the text whose words are counted"`
	Top  int    `json:"top,omitempty" jsonschema:"how many words to return" minimum:"1" maximum:"100" default:"10"`
}

type wordFrequencyResult struct {
	Words []wordCount `json:"words"`
	Total int         `json:"total"` // words in the text
}

type wordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// wordFrequency does the work. An error is for the model: it says what to do.
func wordFrequency(_ context.Context, _ tools.Call, args wordFrequencyArgs) (wordFrequencyResult, error) {
	words := strings.FieldsFunc(strings.ToLower(args.Text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return wordFrequencyResult{}, tools.Errorf(tools.CodeInvalidArguments,
			"the text has no words: pass the text itself, not its file name")
	}
	counts := map[string]int{}
	for _, word := range words {
		counts[word]++
	}
	result := wordFrequencyResult{Words: []wordCount{}, Total: len(words)}
	for word, count := range counts {
		result.Words = append(result.Words, wordCount{Word: word, Count: count})
	}
	slices.SortFunc(result.Words, func(a, b wordCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
	})
	result.Words = result.Words[:min(args.Top, len(result.Words))]
	return result, nil
}

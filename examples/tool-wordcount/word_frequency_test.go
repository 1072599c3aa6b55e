package wordcount

import (
	"encoding/json"
	"testing"

	"nanoclaw/internal/tools"
)

func TestWordFrequencyCountsWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"text": "To be, or not to be", "top": 2},
			`{"success":true,"data":{"words":[{"word":"be","count":2},{"word":"to","count":2}],"total":6}}`},
		{map[string]any{"text": "one"}, `{"success":true,"data":{"words":[{"word":"one","count":1}],"total":1}}`},
		{map[string]any{"text": "?!"},
			`{"success":false,"error":"the text has no words: pass the text itself, not its file name","code":"invalid_arguments"}`},
		{map[string]any{"text": "a", "top": 0},
			`{"success":false,"error":"invalid arguments: \"top\" must be at least 1, not 0","code":"invalid_arguments"}`},
		{map[string]any{},
			`{"success":false,"error":"invalid arguments: \"text\" is required (a string: the text whose words are counted)","code":"invalid_arguments"}`},
	} {
		got, err := json.Marshal(tools.Default().Execute(t.Context(), "word_frequency", tools.Call{}, c.args))
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n got %s, %v\nwant %s", c.args, got, err, c.want)
		}
	}
}

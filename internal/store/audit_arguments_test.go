package store

import (
	"encoding/json"
	"strings"
	"testing"
)

// FS5: long contents are named by size and hash, the rest of the arguments stays.
func TestLongArgumentsAreCutInTheAudit(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("é", 3000)
	text := `{"path":"a.txt","n":12345678901234567890,"list":["<b>","` + content + `"]}`
	short := ShortArguments(text, 101)
	var got struct {
		Path string
		N    json.Number
		List []string
	}
	if err := json.Unmarshal([]byte(short), &got); err != nil {
		t.Fatalf("%s: %v", short, err)
	}
	if got.Path != "a.txt" || got.N != "12345678901234567890" || got.List[0] != "<b>" {
		t.Errorf("it became %s", short)
	}
	if cut := got.List[1]; !strings.HasPrefix(cut, strings.Repeat("é", 50)+"… (6000 bytes, sha256 ") {
		t.Errorf("the content became %q", cut)
	}
	for _, same := range []string{`{"a":1}`, "not JSON", ""} {
		if ShortArguments(same, 64) != same {
			t.Errorf("%q changed", same)
		}
	}
	if got := ShortArguments(strings.Repeat("{", 500), 64); len(got) > 200 || !strings.HasPrefix(got,
		strings.Repeat("{", 64)+"…") {
		t.Errorf("what is no JSON became %q", got)
	}
}

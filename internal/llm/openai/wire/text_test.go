package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestACharacterThatIsSpreadOverPiecesArrivesWhole(t *testing.T) {
	t.Parallel()
	text := "añ你好😀e"
	var j Joiner
	var got strings.Builder
	for i := range len(text) {
		piece := j.Push([]byte{text[i]})
		if !utf8.Valid(piece) {
			t.Fatalf("piece %q is not whole", piece)
		}
		got.Write(piece)
	}
	got.Write(j.Flush())
	if got.String() != text {
		t.Errorf("%q", got.String())
	}
}

func TestASurrogatePairThatIsSpreadOverPiecesArrivesWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		pieces     []rune
	}{
		{"pair", "😀", []rune{0xD83D, 0xDE00}},
		{"two pairs", "😀😀", []rune{0xD83D, 0xDE00, 0xD83D, 0xDE00}},
		{"high alone", "\uFFFDx", []rune{0xD83D, 'x'}},
		{"high at the end", "\uFFFD", []rune{0xD83D}},
		{"low alone", "\uFFFDx", []rune{0xDE00, 'x'}},
		{"two highs", "\uFFFD😀", []rune{0xD83D, 0xD83D, 0xDE00}},
	} {
		var j Joiner
		var got strings.Builder
		for _, r := range tt.pieces {
			got.Write(j.Push(appendRune(nil, r)))
		}
		got.Write(j.Flush())
		if got.String() != tt.want {
			t.Errorf("%s: %q", tt.name, got.String())
		}
	}
}

func FuzzTheJoinerGivesTheSameTextHoweverItIsCut(f *testing.F) {
	f.Add("añ你好😀e", uint8(1))
	f.Add("a\xffb\xe4\xbd", uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if strings.Contains(text, "\xed") {
			return // surrogates are read, which Go's conversion does not do
		}
		var j Joiner
		var got strings.Builder
		for rest := text; rest != ""; {
			n := min(int(size%7)+1, len(rest))
			got.Write(j.Push([]byte(rest[:n])))
			rest = rest[n:]
		}
		got.Write(j.Flush())
		if !utf8.ValidString(got.String()) {
			t.Fatalf("%q is not UTF-8", got.String())
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); utf8.ValidString(text) && got.String() != want {
			t.Fatalf("%q, want %q", got.String(), want)
		}
	})
}

func TestThinkTagsAtTheStartAreReasoning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, reasoning, text string }{
		{"block", "<think>hm</think>\n\nHello", "hm", "Hello"},
		{"space before", " \n<think>hm</think>Hello", "hm", "Hello"},
		{"not at the start", "Hello <think>hm</think>", "", "Hello <think>hm</think>"},
		{"another tag", "<thing>x", "", "<thing>x"},
		{"almost a tag at the end", "<thin", "", "<thin"},
		{"never closed", "<think>hm </thi", "hm </thi", ""},
		{"closed inside a look-alike", "<think>a</thin</think>b", "a</thin", "b"},
		{"second block is text", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"},
		{"empty", "", "", ""},
		{"space alone", "  ", "", "  "},
	} {
		for size := 1; size <= len(tt.in)+1; size++ {
			var think Think
			var reasoning, text strings.Builder
			add := func(r, s string) { reasoning.WriteString(r); text.WriteString(s) }
			for rest := tt.in; rest != ""; {
				n := min(size, len(rest))
				add(think.Push([]byte(rest[:n])))
				rest = rest[n:]
			}
			add(think.Flush())
			if reasoning.String() != tt.reasoning || text.String() != tt.text {
				t.Errorf("%s in pieces of %d: reasoning %q, text %q", tt.name, size, reasoning.String(), text.String())
			}
		}
	}
}

func TestThinkTagsAreTextWhereTheProviderMarksItsReasoning(t *testing.T) {
	t.Parallel()
	var think Think
	_, first := think.Push([]byte(" "))
	think.Off()
	_, second := think.Push([]byte("<think>x"))
	if got := first + second; got != " <think>x" {
		t.Errorf("%q", got)
	}
}

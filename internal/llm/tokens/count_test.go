package tokens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// The bounds of the package comment.
var corpus = map[string][2]float64{
	"english.txt": {0.75, 1.35},
	"chinese.txt": {0.75, 1.35},
	"mixed.txt":   {0.75, 1.35},
	"code.txt":    {0.75, 1.35},
	"json.txt":    {0.75, 1.35},
	"numbers.txt": {0.75, 1.35},
	"scripts.txt": {0.5, 2.5},
	"emoji.txt":   {0.5, 2.5},
	"base64.txt":  {0.5, 2.5},
	"padding.txt": {0.5, 2.5},
}

func TestTheEstimateStaysWithinItsBoundsOfTheRealVocabularies(t *testing.T) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	for _, name := range []string{"cl100k_base", "o200k_base"} {
		vocabulary, err := tiktoken.GetEncoding(name)
		if err != nil {
			t.Fatal(err)
		}
		for file, bounds := range corpus {
			text := read(t, file)
			real := len(vocabulary.Encode(text, nil, nil))
			ratio := float64(Count(text)) / float64(real)
			t.Logf("%s %s: %d tokens, estimate is %.2f times that", name, file, real, ratio)
			if ratio < bounds[0] || ratio > bounds[1] {
				t.Errorf("%s %s: estimate %d of %d is %.2f times, want %v", name, file, Count(text), real, ratio,
					bounds)
			}
		}
	}
}

func TestAnEmptyTextIsFreeAndAnyOtherIsNot(t *testing.T) {
	t.Parallel()
	if got := Count(""); got != 0 {
		t.Errorf("empty text: %d tokens", got)
	}
	for _, text := range []string{"a", "7", "\n", "。", "文", "\xff", "🚀", "()", "\x00"} {
		if got := Count(text); got < 1 || got > 3 {
			t.Errorf("%q: %d tokens", text, got)
		}
	}
}

func TestALongerTextNeverCostsMuchLess(t *testing.T) {
	t.Parallel()
	text := read(t, "mixed.txt")
	whole := Count(text)
	for cut := range text {
		parts := Count(text[:cut]) + Count(text[cut:])
		if parts < whole-2 || parts > whole+4 {
			t.Fatalf("cut at %d: %d tokens in parts, %d as a whole", cut, parts, whole)
		}
	}
}

func FuzzCountEndsAndIsBounded(f *testing.F) {
	for _, seed := range []string{"", "hello world", "你好", "\xf0\x9f", strings.Repeat(" ", 99), "a1B2_c3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Count(text)
		if got < 0 || got > 2*len(text) || (text != "" && text != " " && got == 0) {
			t.Errorf("%q: %d tokens", text, got)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	for _, file := range []string{"english.txt", "chinese.txt", "json.txt"} {
		text := strings.Repeat(read(b, file), 20)
		b.Run(file, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Count(text)
			}
		})
	}
}

func read(tb testing.TB, file string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

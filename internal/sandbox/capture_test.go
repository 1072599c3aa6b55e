package sandbox

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// SH5: head and tail are kept whole, whatever the sizes of the writes.
func TestCaptureKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 1000)
	for _, piece := range []int{1, 7, 64, 1000, len(text)} {
		c := NewCapture(100)
		for rest := text; rest != ""; {
			n := min(piece, len(rest))
			_, _ = c.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if got := c.String(); !strings.HasPrefix(got, text[:50]+"\n[") || !strings.HasSuffix(got,
			"]\n"+text[len(text)-50:]) || c.Dropped() != int64(len(text)-100) {
			t.Errorf("pieces of %d: %q, %d dropped", piece, got, c.Dropped())
		}
	}
	short := NewCapture(100)
	_, _ = short.Write([]byte("all of it"))
	if short.String() != "all of it" || short.Dropped() != 0 {
		t.Errorf("%q", short.String())
	}
}

// The whole output is kept in a file when a part of it is dropped.
func TestCaptureKeepsTheWholeOutputInAFile(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 1000)
	for _, piece := range []int{1, 33, 5000, len(text)} {
		for _, limit := range []int{len(text), 5001, 120} {
			c := NewCapture(101)
			c.KeepWhole(int64(limit))
			for rest := text; rest != ""; {
				n := min(piece, len(rest))
				_, _ = c.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			whole := c.Whole()
			if whole == nil {
				t.Fatal("there is no file")
			}
			data, err := io.ReadAll(whole)
			if err != nil || string(data) != text[:limit] {
				t.Errorf("pieces of %d: %d bytes of at most %d are kept, %v", piece, len(data), limit, err)
			}
			if c.Dropped() != int64(len(text)-101) {
				t.Errorf("%d dropped", c.Dropped())
			}
			_ = whole.Close()
		}
	}
	short := NewCapture(100)
	short.KeepWhole(1000)
	_, _ = short.Write([]byte("all of it"))
	if short.Whole() != nil {
		t.Error("a short output has a file")
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("日本語のテキスト"), 8, 3)
	f.Fuzz(func(t *testing.T, data []byte, limit, piece int) {
		limit, piece = max(limit%4096, 0), max(piece%100, 1)
		c := NewCapture(limit)
		for part := range bytes.Lines(data) {
			for len(part) > 0 {
				n := min(piece, len(part))
				_, _ = c.Write(part[:n])
				part = part[n:]
			}
		}
		if text := c.String(); !utf8.ValidString(text) {
			t.Errorf("%q is not valid UTF-8", text)
		}
		if kept := int64(len(data)) - c.Dropped(); kept > int64(max(limit, 2)) {
			t.Errorf("%d bytes are kept of at most %d", kept, limit)
		}
		if c.Dropped() == 0 && utf8.Valid(data) && c.String() != string(data) {
			t.Errorf("%q became %q", data, c.String())
		}
	})
}

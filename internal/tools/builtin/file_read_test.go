package builtin

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBT6FileReadReturnsLines(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "f", "one\ntwo\r\nthree\n\nfive")
	d.put(t, "empty", "")
	for name, c := range map[string]struct {
		args  map[string]any
		want  string
		lines [3]int // total, start, end
	}{
		"all":          {map[string]any{"path": "f"}, "one\ntwo\r\nthree\n\nfive", [3]int{5, 1, 5}},
		"from a line":  {map[string]any{"path": "f", "start_line": 4}, "\nfive", [3]int{5, 4, 5}},
		"up to a line": {map[string]any{"path": "f", "end_line": 2}, "one\ntwo\r\n", [3]int{5, 1, 2}},
		"one line":     {map[string]any{"path": "f", "start_line": 3, "end_line": 3}, "three\n", [3]int{5, 3, 3}},
		"beyond":       {map[string]any{"path": "f", "start_line": 5, "end_line": 99}, "five", [3]int{5, 5, 5}},
		"from a column": {map[string]any{"path": "f", "start_line": 3, "start_column": 4}, "ee\n\nfive",
			[3]int{5, 3, 5}},
		"nothing": {map[string]any{"path": "empty"}, "", [3]int{0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			got := must[fileReadResult](t, d, "file_read", c.args)
			if got.Content != c.want || [3]int{got.TotalLines, got.StartLine, got.EndLine} != c.lines ||
				got.Truncated || got.Hint != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
	for _, column := range []int{5, 99} {
		d.fail(t, "invalid_arguments", "file_read", map[string]any{"path": "f", "start_line": 5,
			"start_column": column})
	}
}

// readOn reads a file part by part, as the hints say, and returns the parts.
func readOn(t *testing.T, d *desk, args map[string]any) (parts []string) {
	t.Helper()
	for range 100 {
		got := must[fileReadResult](t, d, "file_read", args)
		if len(got.Content) > maxFileOutput || !utf8.ValidString(got.Content) {
			t.Fatalf("a part has %d bytes", len(got.Content))
		}
		parts = append(parts, got.Content)
		if !got.Truncated {
			return parts
		}
		if got.NextStartLine == 0 || !strings.Contains(got.Hint, "start_line") && got.Encoding != base64Encoding {
			t.Fatalf("a cut part does not say how to go on: %q", got.Hint)
		}
		args["start_line"] = got.NextStartLine
		delete(args, "start_column")
		if got.NextStartColumn > 0 {
			args["start_column"] = got.NextStartColumn
		}
	}
	t.Fatal("reading on never ends")
	return nil
}

func TestBT6ACutFileIsReachableToItsEnd(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("一行中文 and some text\r\n", 10_000)
	long := strings.Repeat("长行 with no end 🦀 ", 20_000)
	for name, content := range map[string]string{
		"many lines":               lines,
		"one long line":            long,
		"long lines between short": "first\n" + long + "\n" + lines[:30_003] + "\n" + long + "\nlast\n",
		"exactly the limit":        strings.Repeat("x", maxFileOutput-1) + "\n" + strings.Repeat("y", maxFileOutput),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			content := strings.ToValidUTF8(content, "?")
			d.put(t, "f", content)
			parts := readOn(t, d, map[string]any{"path": "f"})
			if strings.Join(parts, "") != content {
				t.Errorf("%d parts do not make up the file", len(parts))
			}
			if len(parts) < 2 {
				t.Errorf("the file came in %d parts", len(parts))
			}
		})
	}
}

func TestBT6ACutPartEndsAtALine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "f", strings.Repeat("0123456789\n", 10_000))
	got := must[fileReadResult](t, d, "file_read", map[string]any{"path": "f"})
	if !strings.HasSuffix(got.Content, "\n") || got.NextStartLine != got.EndLine+1 || got.TotalLines != 10_000 ||
		strings.Count(got.Content, "\n") != got.EndLine {
		t.Errorf("lines %d to %d of %d, next %d", got.StartLine, got.EndLine, got.TotalLines, got.NextStartLine)
	}
}

func TestBT6BinaryFilesAreReadAsBase64(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	content := make([]byte, 100_001)
	for i := range content {
		content[i] = byte(i * 7 >> 2)
	}
	d.put(t, "f.bin", string(content))
	var got []byte
	for _, part := range readOn(t, d, map[string]any{"path": "f.bin", "encoding": "base64"}) {
		data, err := base64.StdEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, data...)
	}
	if string(got) != string(content) {
		t.Errorf("%d bytes came back of %d", len(got), len(content))
	}

	d.put(t, "small.png", "\x89PNG\r\n\x1a\n\x00\x00")
	preview := must[fileReadResult](t, d, "file_read", map[string]any{"path": "small.png"})
	if preview.Encoding != "base64" || preview.Truncated || !strings.Contains(preview.Hint, "image/png") {
		t.Errorf("an unasked-for binary file is %+v", preview)
	}
	if large := must[fileReadResult](t, d, "file_read", map[string]any{"path": "f.bin"}); !large.Truncated ||
		len(large.Content) > 5000 {
		t.Errorf("an unasked-for large binary file shows %d bytes", len(large.Content))
	}
}

// EX3: the stamp is what decides whether a cached read is still true.
func TestEX3AReadsStampChangesWithTheFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "f", "aaaa")
	reads := map[string]map[string]any{
		"file_read": {"path": "f"}, "file_list": {}, "file_grep": {"pattern": "a"}, "file_glob": {"pattern": "*"},
		"file_exists": {"path": "g"},
	}
	before := map[string]string{}
	for name, args := range reads {
		before[name] = d.stamp(t, name, args)
		if before[name] == "" || d.stamp(t, name, args) != before[name] {
			t.Errorf("%s: the stamp is %q and changes by itself", name, before[name])
		}
	}
	d.put(t, "f", "bbbb")
	d.put(t, "g", "new")
	for name, args := range reads {
		if d.stamp(t, name, args) == before[name] {
			t.Errorf("%s: the stamp did not change", name)
		}
	}
	if stamp := d.stamp(t, "file_glob", map[string]any{"pattern": "**/.git/*"}); stamp != "" {
		t.Errorf("a look into .git would be cached by %q", stamp)
	}
}

// 10.18: an empty path is named as such.
func TestAnEmptyPathIsSaidToBeEmpty(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, args := range map[string]map[string]any{
		"file_read": {"path": ""}, "file_write": {"path": "", "content": "x"}, "file_append": {"path": "",
			"content": "x"}, "file_delete": {"path": ""},
		"file_mkdir": {"path": ""}, "file_move": {"from": "", "to": "x"},
	} {
		if text := d.fail(t, "invalid_arguments", name, args); !strings.Contains(text, "is empty: give a path") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

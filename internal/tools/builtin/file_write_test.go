package builtin

import (
	"strings"
	"testing"
)

func TestBT6FileWriteReplacesOrAppends(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, c := range []struct {
		mode, content, want string
		result              fileWriteResult
	}{
		{"", "first\n", "first\n", fileWriteResult{"a/b.txt", 6, true}},
		{"append", "二\n", "first\n二\n", fileWriteResult{"a/b.txt", 4, false}},
		{"a", "3", "first\n二\n3", fileWriteResult{"a/b.txt", 1, false}},
		{"write", "new", "new", fileWriteResult{"a/b.txt", 3, false}},
		{"w", "", "", fileWriteResult{"a/b.txt", 0, false}},
	} {
		args := map[string]any{"path": "a/b.txt", "content": c.content}
		if c.mode != "" {
			args["mode"] = c.mode
		}
		if got := must[fileWriteResult](t, d, "file_write", args); got != c.result {
			t.Errorf("step %d reports %+v", i, got)
		}
		d.want(t, "a/b.txt", c.want)
	}
	if got := must[fileWriteResult](t, d, "file_write", map[string]any{"path": "new", "content": "x",
		"mode": "a"}); !got.Created {
		t.Errorf("appending to nothing reports %+v", got)
	}
}

func TestBT6FileWriteTakesBase64(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got := must[fileWriteResult](t, d, "file_write", map[string]any{"path": "f", "content": "AP+A\n_w",
		"encoding": "base64"})
	if got.BytesWritten != 4 {
		t.Errorf("reports %+v", got)
	}
	must[fileWriteResult](t, d, "file_write", map[string]any{"path": "f", "content": "AA==", "encoding": "Base64",
		"mode": "append"})
	d.want(t, "f", "\x00\xff\x80\xff\x00")
	d.fail(t, "invalid_arguments", "file_write", map[string]any{"path": "f", "content": "no base64!",
		"encoding": "base64"})
	d.want(t, "f", "\x00\xff\x80\xff\x00")
}

func TestBT6FileAppendKeepsTheFilesEncoding(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, codec := range []textCodec{gb18030Codec, utf16LEBOM, utf16BEBOM, utf8BOMCodec, utf8Codec} {
		d.put(t, "f", encodeAs(t, codec, simplified))
		must[fileWriteResult](t, d, "file_append", map[string]any{"path": "f", "content": "追加的一行\n"})
		d.want(t, "f", encodeAs(t, codec, simplified+"追加的一行\n"))
	}
	d.put(t, "f", encodeAs(t, latin1Codec, latin))
	d.fail(t, "invalid_arguments", "file_append", map[string]any{"path": "f", "content": "中文"})
	d.want(t, "f", encodeAs(t, latin1Codec, latin))

	d.put(t, "f.bin", "\x00\x01\x02")
	must[fileWriteResult](t, d, "file_append", map[string]any{"path": "f.bin", "content": "é"})
	d.want(t, "f.bin", "\x00\x01\x02é")
	if got := must[fileWriteResult](t, d, "file_append", map[string]any{"path": "new/file",
		"content": "x"}); !got.Created || got.BytesWritten != 1 {
		t.Errorf("reports %+v", got)
	}
}

func TestBT6FileEditReplacesOneOccurrence(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "f", "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n")
	got := must[fileEditResult](t, d, "file_edit", map[string]any{"path": "f", "old_string": "b() {\n\treturn 1",
		"new_string": "b() {\n\treturn 2"})
	if got.Replacements != 1 || got.Line != 5 || got.Path != "f" {
		t.Errorf("reports %+v", got)
	}
	d.want(t, "f", "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 2\n}\n")
	got = must[fileEditResult](t, d, "file_edit", map[string]any{"path": "f", "old_string": "return",
		"new_string": "yield", "replace_all": true})
	if got.Replacements != 2 || got.Line != 2 {
		t.Errorf("reports %+v", got)
	}
	must[fileEditResult](t, d, "file_edit", map[string]any{"path": "f", "old_string": "\n\nfunc b() {\n\tyield 2\n}",
		"new_string": ""})
	d.want(t, "f", "func a() {\n\tyield 1\n}\n")
}

func TestBT6FileEditKeepsEncodingAndLineEndings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, codec := range map[string]textCodec{
		"utf-8": utf8Codec, "utf-8-bom": utf8BOMCodec, "utf-16": utf16BEBOM, "gb18030": gb18030Codec,
	} {
		text := strings.ReplaceAll(simplified, "\n", "\r\n") + "第一\r\n第二\r\n"
		d.put(t, "f", encodeAs(t, codec, text))
		got := must[fileEditResult](t, d, "file_edit", map[string]any{"path": "f", "old_string": "第一\n第二",
			"new_string": "第三\n新\n"})
		if got.Encoding != name {
			t.Errorf("%s was edited as %s", name, got.Encoding)
		}
		d.want(t, "f", encodeAs(t, codec, strings.Replace(text, "第一\r\n第二", "第三\r\n新\r\n", 1)))
	}
	for before, after := range map[string]string{
		"a\r\nb\nc\r\nd":      "a\r\nX\nY\r\nd", // mixed: as it is written
		"x\r\nb\r\nc\nd":      "x\r\nX\r\nY\nd", // mixed: the other way round, found with \r\n
		"b\nc \xff\xfe\xfd\n": "X\nY \xff\xfe\xfd\n",
	} {
		d.put(t, "f", before)
		must[fileEditResult](t, d, "file_edit", map[string]any{"path": "f", "old_string": "b\nc", "new_string": "X\nY"})
		d.want(t, "f", after)
	}
}

func TestBT6FileEditExplainsWhyItDidNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	content := "start\n    if x {\n        call(1)\n    }\nend\nsame\nsame\nSAME\n"
	d.put(t, "f", content)
	for name, c := range map[string]struct{ old, new, say string }{
		"several matches":     {"same", "x", "occurs 2 times (lines 6, 7)"},
		"white space differs": {"if x {\n\tcall(1)\n}", "x", "with other white space it does, at line 2"},
		"case differs":        {"Start", "x", "with other upper and lower case it does, at line 1"},
		"the rest differs":    {"    if x {\n        other()", "x", "its first line is at line 2"},
		"nothing like it":     {"nowhere", "x", "read the file again"},
		"nothing to find":     {"", "x", "old_string is empty"},
		"nothing to change":   {"end", "end", "nothing would change"},
	} {
		t.Run(name, func(t *testing.T) {
			message := d.fail(t, "invalid_arguments", "file_edit", map[string]any{"path": "f", "old_string": c.old,
				"new_string": c.new})
			if !strings.Contains(message, c.say) {
				t.Errorf("the error is %q, want %q in it", message, c.say)
			}
		})
	}
	d.want(t, "f", content)
	d.put(t, "f.bin", "\x00\x01a")
	d.fail(t, "invalid_arguments", "file_edit", map[string]any{"path": "f.bin", "old_string": "a", "new_string": "b"})
}

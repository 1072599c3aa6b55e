package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	simplified  = "自然语言处理是人工智能的一个重要方向。它研究人与计算机之间用语言进行有效通信的各种理论和方法，例如：机器翻译、问答系统。\n价格 12 元，共 3 件。\n"
	traditional = "自然語言處理是人工智慧的一個重要方向。它研究人與電腦之間用語言進行有效通訊的各種理論和方法，例如：機器翻譯、問答系統。\n價格 12 元，共 3 件。\n"
	japanese_   = "自然言語処理は人工知能の重要な分野です。カタカナとひらがなと漢字が混ざっています。\n価格は 12 円です。\n"
	latin       = "Déjà vu : l'été à Genève, Größe, señor, smørrebrød.\n"
)

func encodeAs(t *testing.T, codec textCodec, text string) string {
	t.Helper()
	data, err := codec.encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestBT6EncodingsAreDetected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codec textCodec
		text  string
		want  string
	}{
		"UTF-8":                  {utf8Codec, simplified, "utf-8"},
		"ASCII":                  {utf8Codec, "plain", "utf-8"},
		"UTF-8 with a mark":      {utf8BOMCodec, simplified, "utf-8-bom"},
		"UTF-16 with a mark":     {utf16LEBOM, simplified, "utf-16"},
		"UTF-16 big endian":      {utf16BEBOM, "plain\n" + latin, "utf-16"},
		"UTF-16 without a mark":  {utf16LECodec, "plain text\n" + simplified, "utf-16le"},
		"the same, big endian":   {utf16BECodec, "plain text\n" + simplified, "utf-16be"},
		"GBK":                    {gbkCodec, simplified, "gb18030"},
		"GBK, one word":          {gbkCodec, "中文", "gb18030"},
		"GBK in code":            {gbkCodec, "int main() { // 主函数\n  return 0;\n}\n", "gb18030"},
		"GB18030 with emoji":     {gb18030Codec, simplified + "🦀", "gb18030"},
		"GBK, traditional text":  {gbkCodec, simplified + "龍", "gb18030"},
		"Big5":                   {big5Codec, traditional, "big5"},
		"Shift-JIS":              {shiftJISCodec, japanese_, "shift_jis"},
		"Latin-1":                {latin1Codec, latin, "latin-1"},
		"Latin-1, one character": {latin1Codec, "café\n", "latin-1"},
		"Windows-1252":           {cp1252Codec, "“quoted” – café\n", "windows-1252"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.put(t, "f", encodeAs(t, c.codec, c.text))
			got := must[fileReadResult](t, d, "file_read", map[string]any{"path": "f"})
			if got.Encoding != c.want || got.Content != c.text {
				t.Errorf("detected %s: %q", got.Encoding, got.Content)
			}
		})
	}
}

func TestBT6NamedEncodingsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, text := range map[string]string{
		"utf-8": simplified, "UTF8": latin, "utf-8-sig": simplified, "utf-16": traditional, "utf-16le": latin,
		"UTF_16BE": latin,
		"GBK":      simplified, "gb2312": simplified, "gb18030": simplified + "🦀", "big5": traditional,
		"Shift-JIS": japanese_, "sjis": japanese_,
		"euc-jp": japanese_, "euc-kr": "한국어", "latin-1": latin, "ISO-8859-1": latin, "windows-1252": latin,
		"koi8-r": "русский",
	} {
		args := map[string]any{"path": "f", "encoding": name, "content": text}
		must[fileWriteResult](t, d, "file_write", args)
		got := must[fileReadResult](t, d, "file_read", map[string]any{"path": "f", "encoding": name})
		if got.Content != text {
			t.Errorf("%s reads back as %q", name, got.Content)
		}
	}
	if message := d.fail(t, "invalid_arguments", "file_write", map[string]any{"path": "f", "encoding": "gbk",
		"content": "ok 🦀"}); !strings.Contains(message, "🦀") {
		t.Errorf("the error does not name the character: %s", message)
	}
	d.put(t, "f", "broken \xff text")
	if got := must[fileReadResult](t, d, "file_read", map[string]any{"path": "f",
		"encoding": "utf-8"}); got.Content != "broken \uFFFD text" {
		t.Errorf("broken UTF-8 reads as %q", got.Content)
	}
}

// A detected text must decode without a panic and come out as valid UTF-8.
func FuzzDetectedContentDecodes(f *testing.F) {
	for _, codec := range []textCodec{utf8Codec, utf8BOMCodec, utf16LEBOM, utf16BECodec, gb18030Codec, big5Codec,
		shiftJISCodec, latin1Codec} {
		if data, err := codec.encode("plain"); err == nil {
			f.Add(data)
		}
	}
	f.Add([]byte("\xff\xfe\x00"))
	f.Add([]byte("\x81"))
	f.Fuzz(func(t *testing.T, data []byte) {
		codec, ok := detectCodec(data)
		if !ok {
			return
		}
		text, lossless := codec.decode(data)
		if !lossless {
			return
		}
		if codec.set != nil && !utf8.ValidString(text) {
			t.Errorf("%s decodes to broken UTF-8", codec.name)
		}
		again, err := codec.encode(text)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s says it is lossless, but %q became %q, %v", codec.name, data, again, err)
		}
	})
}

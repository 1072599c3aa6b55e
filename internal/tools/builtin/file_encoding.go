package builtin

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"nanoclaw/internal/workspace"
)

// textCodec turns a file's bytes into text and back.
type textCodec struct {
	name string            // as file_read reports it and file_write takes it
	set  encoding.Encoding // nil: UTF-8
	bom  []byte            // what the file begins with, not part of the text
}

const base64Encoding = "base64"

var (
	utf8Codec     = textCodec{name: "utf-8"}
	utf8BOMCodec  = textCodec{name: "utf-8-bom", bom: []byte{0xEF, 0xBB, 0xBF}}
	utf16LE       = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16BE       = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	utf16LEBOM    = textCodec{name: "utf-16", set: utf16LE, bom: []byte{0xFF, 0xFE}}
	utf16BEBOM    = textCodec{name: "utf-16", set: utf16BE, bom: []byte{0xFE, 0xFF}}
	utf16LECodec  = textCodec{name: "utf-16le", set: utf16LE}
	utf16BECodec  = textCodec{name: "utf-16be", set: utf16BE}
	gb18030Codec  = textCodec{name: "gb18030", set: simplifiedchinese.GB18030}
	gbkCodec      = textCodec{name: "gbk", set: simplifiedchinese.GBK}
	big5Codec     = textCodec{name: "big5", set: traditionalchinese.Big5}
	shiftJISCodec = textCodec{name: "shift_jis", set: japanese.ShiftJIS}
	latin1Codec   = textCodec{name: "latin-1", set: charmap.ISO8859_1}
	cp1252Codec   = textCodec{name: "windows-1252", set: charmap.Windows1252}
)

// codecNames are the names beside those of the WHATWG list, without - and _.
var codecNames = map[string]textCodec{
	"utf8": utf8Codec, "ascii": utf8Codec, "usascii": utf8Codec,
	"utf8bom": utf8BOMCodec, "utf8sig": utf8BOMCodec,
	"utf16": utf16LEBOM, "utf16le": utf16LECodec, "utf16be": utf16BECodec,
	"gb2312": gbkCodec, "gbk": gbkCodec, "cp936": gbkCodec, "gb18030": gb18030Codec,
	"big5": big5Codec, "shiftjis": shiftJISCodec, "sjis": shiftJISCodec, "cp932": shiftJISCodec,
	"latin1": latin1Codec, "iso88591": latin1Codec, "windows1252": cp1252Codec, "cp1252": cp1252Codec,
}

// codecNamed finds an encoding by the name that a model gave.
func codecNamed(name string) (textCodec, error) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	if codec, ok := codecNames[plain]; ok {
		return codec, nil
	}
	set, err := htmlindex.Get(name)
	if err != nil {
		return textCodec{}, fileError(workspace.CodeInvalidArgument, "",
			"unknown encoding %q: use utf-8, utf-8-bom, utf-16, utf-16le, utf-16be, gbk, gb18030, big5, shift_jis, "+
				"euc-jp, euc-kr, latin-1, windows-1252 or base64", name)
	}
	return textCodec{name: strings.ToLower(name), set: set}, nil
}

// reader decodes a stream. Bytes that are no text become U+FFFD.
func (c textCodec) reader(r io.Reader, start []byte) io.Reader {
	if mark := markOf(start); mark != nil && c.takes(mark) {
		_, _ = io.CopyN(io.Discard, r, int64(len(mark))) // they are in start, so they can be read
		if c.name == utf16LEBOM.name {
			c = utf16With(mark)
		}
	}
	if c.set == nil {
		return unicode.UTF8.NewDecoder().Reader(r)
	}
	return c.set.NewDecoder().Reader(r)
}

// markOf is the byte order mark at the start of a file.
func markOf(start []byte) []byte {
	for _, codec := range []textCodec{utf8BOMCodec, utf16LEBOM, utf16BEBOM} {
		if bytes.HasPrefix(start, codec.bom) {
			return codec.bom
		}
	}
	return nil
}

// takes says whether a byte order mark belongs to the codec.
func (c textCodec) takes(mark []byte) bool {
	if len(mark) == 3 {
		return c.set == nil
	}
	return c.name == utf16LEBOM.name || (c.name == utf16LECodec.name && mark[0] == 0xFF) ||
		(c.name == utf16BECodec.name && mark[0] == 0xFE)
}

func utf16With(mark []byte) textCodec {
	if mark[0] == 0xFE {
		return utf16BEBOM
	}
	return utf16LEBOM
}

// decode turns a file's content into text. lossless: encode brings back the same
// bytes.
func (c textCodec) decode(data []byte) (text string, lossless bool) {
	body := bytes.TrimPrefix(data, c.bom)
	if c.set == nil {
		return string(body), true
	}
	decoded, err := c.set.NewDecoder().Bytes(body)
	if err != nil {
		return "", false
	}
	again, err := c.encode(string(decoded))
	return string(decoded), err == nil && bytes.Equal(again, data)
}

// encode turns text into a file's content, with the byte order mark.
func (c textCodec) encode(text string) ([]byte, error) {
	body, err := c.encodePart(text)
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(c.bom), body...), nil
}

// encodePart is encode for what is not at a file's start.
func (c textCodec) encodePart(text string) ([]byte, error) {
	if c.set == nil {
		return []byte(text), nil
	}
	encoded, err := c.set.NewEncoder().Bytes([]byte(text))
	if err == nil {
		return encoded, nil
	}
	for _, char := range text {
		if _, err := c.set.NewEncoder().Bytes([]byte(string(char))); err != nil {
			return nil, fmt.Errorf("the encoding %s has no %q: choose another encoding, for example utf-8", c.name,
				char)
		}
	}
	return nil, fmt.Errorf("write the text as %s: %w", c.name, err)
}

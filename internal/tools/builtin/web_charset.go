package builtin

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// metaSearch is how much of a page is looked through for its declared charset.
const metaSearch = 4 << 10

// decodeWebText turns a body into text: by its byte order mark, the charset in
// the header, the one in the page, or what the bytes look like, in this order. A
// page that says UTF-8 and is not is looked at too. What cannot be decoded
// becomes U+FFFD.
func decodeWebText(body []byte, contentType string, isHTML bool) string {
	if markOf(body) == nil {
		if name := declaredCharset(body, contentType, isHTML); name != "" {
			if set, canonical := charset.Lookup(name); set != nil && (canonical != "utf-8" ||
				utf8.Valid(withoutCutRune(body))) {
				decoded, err := set.NewDecoder().Bytes(body)
				if err == nil {
					return strings.ToValidUTF8(string(decoded), "\uFFFD")
				}
			}
		}
	}
	codec, isText := detectCodec(body)
	if !isText {
		codec = utf8Codec // a stray NUL or control character makes a page no binary file
	}
	text, _ := codec.decode(body)
	return strings.ToValidUTF8(text, "\uFFFD")
}

// declaredCharset is what the header or the page itself says; empty: nothing.
func declaredCharset(body []byte, contentType string, isHTML bool) string {
	if _, parameters, err := mime.ParseMediaType(contentType); err == nil && parameters["charset"] != "" {
		return parameters["charset"]
	}
	head := body[:min(len(body), metaSearch)]
	if xml, ok := xmlCharset(head); ok {
		return xml
	}
	if !isHTML {
		return ""
	}
	return metaCharset(head)
}

// xmlCharset reads the encoding of an XML declaration.
func xmlCharset(head []byte) (string, bool) {
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return "", false
	}
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding="))
	if !found || len(value) < 2 {
		return "", false
	}
	name, _, closed := bytes.Cut(value[1:], value[:1])
	return string(name), closed
}

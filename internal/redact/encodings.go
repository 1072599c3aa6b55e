package redact

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// minValue is the length, in characters, from which an exact value is looked for.
	minValue = 8
	// maxForm is the length, in bytes, in which a long value is looked for piece by piece.
	maxForm = 2048
)

// form is one way in which a secret may be written in a text.
type form struct {
	text    string
	wrapped bool // line breaks may stand anywhere in it (base64, hexadecimal)
}

// formsOf returns the ways in which the secrets may be written, each once.
func formsOf(secrets []string) []form {
	seen := map[string]bool{}
	var forms []form
	add := func(text string, wrapped bool) {
		for len(text) > 0 {
			piece := text[:min(len(text), maxForm)]
			text = text[len(piece):]
			if len(piece) >= minValue && !seen[piece] {
				seen[piece] = true
				forms = append(forms, form{piece, wrapped})
			}
		}
	}
	for _, secret := range secrets {
		for _, value := range parts(secret) {
			value = strings.ReplaceAll(value, string([]byte{blankByte}), string([]byte{otherByte}))
			add(value, false)
			for _, text := range escaped(value) {
				add(text, false)
			}
			for _, text := range slices.Concat(inBase64(value), inBase32(value), inHex(value)) {
				add(text, true)
			}
			for _, text := range dumped(value) {
				add(text, false)
			}
		}
	}
	return forms
}

// parts are the secret itself and, where it is a block of base64 lines (a key
// file), each of its lines, because a part of a file may be shown.
func parts(secret string) []string {
	secret = strings.TrimSpace(secret)
	if utf8.RuneCountInString(secret) < minValue {
		return nil
	}
	all := []string{secret}
	if !strings.Contains(secret, "\n") {
		return all
	}
	for line := range strings.Lines(secret) {
		line = strings.TrimSpace(line)
		if len(line) >= 32 && strings.IndexFunc(line, notBase64) < 0 {
			all = append(all, line)
		}
	}
	return all
}

func notBase64(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/=-_", r))
}

// escaped are the value's forms in JSON, in URLs and in HTML.
func escaped(value string) []string {
	inJSON := func(s string, safe bool) string {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(safe)
		if enc.Encode(s) != nil {
			return ""
		}
		quoted := strings.TrimSuffix(out.String(), "\n")
		return quoted[1 : len(quoted)-1]
	}
	query, path := url.QueryEscape(value), url.PathEscape(value)
	strict := strings.ReplaceAll(query, "+", "%20") // as encodeURIComponent writes it, nearly
	loose := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(strict)
	plain, safe := inJSON(value, false), inJSON(value, true)
	all := []string{plain, safe, inJSON(plain, false), inJSON(safe, false)}
	uri := strings.NewReplacer("%3B", ";", "%2C", ",", "%2F", "/", "%3F", "?", "%3A", ":", "%40", "@", "%26", "&",
		"%3D", "=",
		"%2B", "+", "%24", "$", "%23", "#").Replace(loose) // as encodeURI writes it
	for _, text := range []string{query, path, strict, loose, uri} {
		slashes := strings.ReplaceAll(text, "%2F", "/")
		all = append(all, text, lowerEscapes(text), slashes, lowerEscapes(slashes))
	}
	entities := html.EscapeString(value)
	all = append(all, entities, strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(entities))
	for _, format := range []string{"\\u%04x", "\\u%04X"} {
		all = append(all, eachUnit(value, format, false), eachUnit(value, format, true))
	}
	return append(all, eachUnit(value, "&#%d;", true), eachUnit(value, "&#x%x;", true), eachUnit(value, "&#x%X;", true))
}

// eachUnit writes the UTF-16 units of the value, or those outside of ASCII alone.
func eachUnit(value, format string, ascii bool) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(value)) {
		if unit < 0x80 && !ascii {
			out.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&out, format, unit)
		}
	}
	return out.String()
}

func inHex(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	return []string{digits, strings.ToUpper(digits)}
}

// dumped are the value's bytes in hexadecimal with signs between them. Dumps cut a
// value at the end of each line, so that with blanks every eight bytes count.
func dumped(value string) []string {
	const shown, longest = 8, 128
	var all []string
	for _, format := range []string{"% x", "% X"} {
		spaced := fmt.Sprintf(format, value)
		for _, sign := range []string{":", "-", "%", `\x`, ",0x", ", 0x"} {
			all = append(all, strings.ReplaceAll(spaced, " ", sign))
		}
		for i := 0; i+shown <= len(value) && len(value) <= longest; i++ {
			all = append(all, spaced[3*i:3*(i+shown)-1])
		}
	}
	for i := 0; i+shown <= len(value) && len(value) <= longest; i++ { // as xxd groups them
		all = append(all, fmt.Sprintf("%x %x %x %x", value[i:i+2], value[i+2:i+4], value[i+4:i+6], value[i+6:i+8]))
	}
	return all
}

// lowerEscapes writes the hexadecimal digits after each '%' in lower case.
func lowerEscapes(s string) string {
	out := []byte(s)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:i+3], bytes.ToLower(out[i+1:i+3]))
		}
	}
	return string(out)
}

// inBase64 is the value in both alphabets of base64 (RFC 4648).
func inBase64(value string) []string {
	var all []string
	for _, text := range within(value, 6, 3, base64.RawStdEncoding.EncodeToString) {
		all = append(all, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return all
}

func inBase32(value string) []string {
	return within(value, 5, 5, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString)
}

// within returns the characters of so many bits that the value alone decides, for
// each of the places in a group of bytes at which it can begin.
func within(value string, bits, group int, encode func([]byte) string) []string {
	var all []string
	for offset := range group {
		encoded := encode(append(make([]byte, offset), value...))
		first := (offset*8 + bits - 1) / bits
		last := (offset + len(value)) * 8 / bits
		all = append(all, encoded[first:last])
	}
	return all
}

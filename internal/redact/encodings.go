package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
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
	wrapped bool // line breaks may stand anywhere in it (base64)
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
			for _, text := range inBase64(value) {
				add(text, true)
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

// escaped are the value's forms in JSON, in URLs and in hexadecimal.
func escaped(value string) []string {
	inJSON := func(s string, html bool) string {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(html)
		if enc.Encode(s) != nil {
			return ""
		}
		quoted := strings.TrimSuffix(out.String(), "\n")
		return quoted[1 : len(quoted)-1]
	}
	query, path := url.QueryEscape(value), url.PathEscape(value)
	strict := strings.ReplaceAll(query, "+", "%20") // as encodeURIComponent writes it, nearly
	loose := strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(strict)
	plain, html := inJSON(value, false), inJSON(value, true)
	return []string{
		plain, html, inJSON(plain, false), inJSON(html, false),
		query, lowerEscapes(query), path, lowerEscapes(path),
		strict, lowerEscapes(strict), loose, lowerEscapes(loose),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
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

// inBase64 returns the characters that the value alone decides, for each of the
// three places in a group of three bytes at which it can begin, in both alphabets.
func inBase64(value string) []string {
	var all []string
	for offset := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, offset), value...))
		first := (offset*8 + 5) / 6
		last := (offset + len(value)) * 8 / 6
		encoded = encoded[first:last]
		all = append(all, encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded))
	}
	return all
}

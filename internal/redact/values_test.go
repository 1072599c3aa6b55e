package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
)

func newTest(t testing.TB, o Options) *Redactor {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SH8: exact values of what the server holds.
func TestAServerSecretIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	const secret = `p@ss "word"/<x>&=+~!9`
	r := newTest(t, Options{Values: []string{secret}})
	escaped, _ := json.Marshal(secret)
	again, _ := json.Marshal(string(escaped))
	for name, written := range map[string]string{
		"as it is":          secret,
		"JSON":              strings.Trim(string(escaped), `"`),
		"JSON in JSON":      string(again[3 : len(again)-3]),
		"query":             url.QueryEscape(secret),
		"query, lower case": strings.ToLower(url.QueryEscape(secret)),
		"path":              url.PathEscape(secret),
		"hex":               hex.EncodeToString([]byte(secret)),
		"base64":            base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 in a text":  base64.StdEncoding.EncodeToString([]byte("user:" + secret + "\n")),
		"path with slashes": strings.ReplaceAll(url.PathEscape(secret), "%2F", "/"),
		"encodeURI":         `p@ss%20%22word%22/%3Cx%3E&=+~!9`,
		"JSON, ASCII codes": `\u0070\u0040\u0073\u0073\u0020\u0022\u0077\u006f\u0072\u0064\u0022\u002f\u003c\u0078\u003e\u0026\u003d\u002b\u007e\u0021\u0039`,
		"HTML":              html.EscapeString(secret),
		"HTML, named":       `p@ss &quot;word&quot;/&lt;x&gt;&amp;=+~!9`,
		"HTML, codes":       `&#112;&#64;&#115;&#115;&#32;&#34;&#119;&#111;&#114;&#100;&#34;&#47;&#60;&#120;&#62;&#38;&#61;&#43;&#126;&#33;&#57;`,
		"base32":            base32.StdEncoding.EncodeToString([]byte(secret)),
		"base32 in a text":  base32.StdEncoding.EncodeToString([]byte("user:" + secret + "\n"))[8:41],
		"spaced hex":        fmt.Sprintf("% x", secret),
		"spaced HEX":        fmt.Sprintf("% X", secret),
		"hex with colons":   strings.ReplaceAll(fmt.Sprintf("% x", secret), " ", ":"),
		"hex in C":          strings.ReplaceAll(fmt.Sprintf("% x", secret), " ", `\x`),
		"base64url":         base64.URLEncoding.EncodeToString([]byte("ab" + secret + "?>?>")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "前 " + written + " 后"
			got := r.String(text)
			if !strings.Contains(got, "[REDACTED:server-secret]") || strings.Contains(got, written) {
				t.Errorf("String(%q) = %q", text, got)
			}
		})
	}
}

// SH8: od, hexdump and xxd break a value anywhere.
func TestADumpHidesNothingOfAServersSecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple-0123456789"
	r := newTest(t, Options{Values: []string{secret}})
	for before := range 17 {
		data := strings.Repeat("x", before) + secret + strings.Repeat("y", 20)
		var od, canonical, xxd strings.Builder
		for at := 0; at < len(data); at += 16 {
			line := data[at:min(len(data), at+16)]
			fmt.Fprintf(&od, "%07o % x\n", at, line)
			fmt.Fprintf(&xxd, "%08x: ", at)
			for i := 0; i < len(line); i += 2 {
				fmt.Fprintf(&xxd, "%x ", line[i:min(len(line), i+2)])
			}
			xxd.WriteString("\n")
			fmt.Fprintf(&canonical, "%08x  % x  % x\n", at, line[:min(8, len(line))], line[min(8, len(line)):])
		}
		for name, dump := range map[string]string{"od": od.String(), "xxd": xxd.String()} {
			got := r.String(dump)
			if left := fmt.Sprintf("% x", secret[16:24]); !strings.Contains(got, ServerSecret) || strings.Contains(got,
				left) || strings.Contains(got, "6565 7279") {
				t.Errorf("%s: %q became %q", name, dump, got)
			}
		}
		if before%8 == 0 && !strings.Contains(r.String(canonical.String()), ServerSecret) {
			t.Errorf("nothing found in %q", canonical.String())
		}
	}
}

func TestABase64TextIsSearchedAcrossItsLineBreaks(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	r := newTest(t, Options{Values: []string{secret}})
	for before := range 80 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret + strings.Repeat("y",
			40)))
		for _, end := range []string{"\n", "\r\n", `\n`, "\n    "} {
			var lines []string
			for len(encoded) > 0 {
				n := min(76, len(encoded))
				lines, encoded = append(lines, encoded[:n]), encoded[n:]
			}
			text := strings.Join(lines, end)
			if got := r.String(text); !strings.Contains(got, "[REDACTED:server-secret]") {
				t.Fatalf("nothing found in %q", text)
			}
			encoded = strings.Join(lines, "")
		}
	}
}

func TestALineOfAServersKeyFileIsFoundAlone(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("MIIEvQIBADANBgkqhkiG", 3)
	r := newTest(t, Options{Values: []string{"-----BEGIN X-----\n" + line + "\nshort==\n-----END X-----\n"}})
	if got, want := r.String("tail: "+line+"."), "tail: [REDACTED:server-secret]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := "-----BEGIN X-----"; r.String(text) != text {
		t.Errorf("the header is no secret: %q", r.String(text))
	}
}

func TestValuesOfLessThanEightCharactersAreNotLookedFor(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{ValuesOnly: true, Values: []string{"", "short12", " eight888 "}})
	if got, want := r.String("short12 eight888"), "short12 [REDACTED:server-secret]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongValuesAreFoundWhole(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "%d,", i)
	}
	r := newTest(t, Options{ValuesOnly: true, Values: []string{long.String()}})
	got := strings.ReplaceAll(r.String("<"+long.String()+">"), "[REDACTED:server-secret]", "")
	if got != "<>" && len(got) > 2+pieceSize {
		t.Errorf("%d bytes stay", len(got))
	}
}

func TestValuesCanBeReplacedWhileTextIsLookedAt(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Values: []string{"first-secret"}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			r.SetValues([]string{"second-secret", fmt.Sprint("other-secret-", i)})
		}
	}()
	for range 100 {
		if got := r.String("first-secret second-secret"); got == "first-secret second-secret" {
			t.Error("neither the old nor the new values were looked for")
		}
	}
	<-done
	if got, want := r.String("first-secret second-secret"), "first-secret [REDACTED:server-secret]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestATextWithoutSecretsIsReturnedWithoutAllocation(t *testing.T) {
	r := newTest(t, Options{Values: []string{"first-secret"}})
	text := strings.Repeat("2026-11-20 INFO request served path=/api/v1/runs status=200 密码 token\n", 20)
	if n := testing.AllocsPerRun(20, func() { _ = r.String(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

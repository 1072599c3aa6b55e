package redact

import (
	"strings"
	"testing"
)

const pemLine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

func pem(sep, last, footer string, lines int) string {
	all := []string{"-----BEGIN RSA PRIV" + "ATE KEY-----"}
	for range lines {
		all = append(all, pemLine)
	}
	for _, line := range []string{last, footer} {
		if line != "" {
			all = append(all, line)
		}
	}
	return strings.Join(all, sep)
}

// SH8: private keys, also when cut off.
func TestAPrivateKeyIsFoundHoweverItIsQuotedOrCut(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	for name, sep := range map[string]string{
		"lines": "\n", "CRLF": "\r\n", "escaped": `\n`, "escaped twice": `\\n`, "indented": "\n    ", "mail": "\n> ",
		"code": "\\n\" +\n  \"",
		"list": "\",\n\"", "tabs": "\n\t", "shell": " \\\n", "comment": "\n# ", "diff": "\n+", "grep": "\n-",
		"numbers": "\n12: ", "Java": "\n * ", "blanks": " ",
	} {
		for _, last := range []string{"", "Zm9vYmFyYmF6cXV4cXV1eA=="} {
			for _, footer := range []string{"", "-----END RSA PRIV" + "ATE KEY-----", "..."} {
				text := "key: " + pem(sep, last, footer, 3)
				got := r.String(text)
				if strings.Contains(got, pemLine[5:15]) || strings.Contains(got, "Zm9vYm") {
					t.Errorf("%s: %q became %q", name, text, got)
				}
				checkPieces(t, r, text+"\nand then", 1)
			}
		}
	}
}

// SH8: what writes each line of a key behind something of its own.
func TestAPrivateKeyIsFoundOnTheLinesOfALog(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Key: []byte("key")})
	for name, around := range map[string][2]string{
		"time stamps": {"2026-11-20T10:00:00.123Z INFO [worker-3] store: ", ""},
		"syslog":      {"Nov 20 10:00:00 web01 app[4711]: ", ""},
		"container":   {"2026-11-20T10:00:00.123456789Z stdout F ", ""}, "JSON": {`{"log":"`,
			`\n","stream":"stdout","time":"2026-11-20T10:00:00.1Z"}`},
		"deep": {strings.Repeat(" ", 40) + "* ", ""}, "PHP": {`        . "`, `\n"`}, "Basic": {`  key = key & "`,
			`" & vbCrLf`}, "C": {`    "`, `\n" \`},
		"table": {"<tr><td>", "</td></tr>"},
	} {
		var all []string
		for _, line := range strings.Split(pem("\n", "Zm9vYmFy", "-----END RSA PRIV"+"ATE KEY-----", 3), "\n") {
			all = append(all, around[0]+line+around[1])
		}
		text := strings.Join(all, "\n") + "\n" + around[0] + "Server started" + around[1] + "\n"
		got := r.String(text)
		if strings.Contains(got, pemLine[5:15]) || strings.Contains(got, "Zm9vYm") || !strings.Contains(got,
			"Server started") {
			t.Errorf("%s: %q became %q", name, text, got)
		}
		if back, err := r.Source(text).Resolve(got, nil); err != nil || back != text {
			t.Errorf("%s: resolved to %q, %v", name, back, err)
		}
		checkPieces(t, r, text, 1)
	}
}

func TestTheRestOfAPrivateKeyIsFoundWithoutItsBegin(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	whole := pem("\n", "c2hvcnQ=", "-----END RSA PRIV"+"ATE KEY-----", 4) + "\nmore\n"
	for _, cut := range []int{3, 40, 100, 150, 230} {
		text := whole[len(whole)-cut-50:]
		if got := r.String(text); strings.Contains(got, pemLine) || strings.Contains(got, "c2hvcnQ") && cut > 100 {
			t.Errorf("%q became %q", text, got)
		}
		checkPieces(t, r, text, 5)
	}
}

func TestWhatSurroundsAPrivateKeyStays(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	text := "before\n" + pem("\n", "c2hvcnQ=", "-----END RSA PRIV"+"ATE KEY-----", 2) + "\nafter it"
	want := "before\n-----BEGIN RSA PRIV" + "ATE KEY-----\n[REDACTED:private-key]\n-----END RSA PRIV" +
		"ATE KEY-----\nafter it"
	if got := r.String(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{
		strings.Repeat(pemLine+"\n", 3), "-----END PUBLIC KEY-----", pemLine + "\n-----END CERTIFICATE-----",
		"-----BEGIN PRIV" + "ATE KEY-----\nhere is prose\n",
		"\tconst header = `-----BEGIN PRIV" + "ATE KEY-----`\n\tconst footer = `somethingElseOfTheSameWidth`\n",
		"10:00 INFO no -----BEGIN PRIV" +
			"ATE KEY----- in /etc/ssl/private\n10:00 INFO reading usr/share/certificates/mozilla/everything/at/once\n",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		checkPieces(t, r, text+"\nend", 3)
	}
}

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
		"lines": "\n", "CRLF": "\r\n", "escaped": `\n`, "escaped twice": `\\n`, "indented": "\n    ", "mail": "\n> ", "code": "\\n\" +\n  \"",
		"list": "\",\n\"", "tabs": "\n\t", "shell": " \\\n", "comment": "\n# ", "diff": "\n+", "grep": "\n-", "numbers": "\n12: ", "Java": "\n * ", "blanks": " ",
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
	want := "before\n-----BEGIN RSA PRIV" + "ATE KEY-----\n[REDACTED:private-key]\n-----END RSA PRIV" + "ATE KEY-----\nafter it"
	if got := r.String(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{
		strings.Repeat(pemLine+"\n", 3), "-----END PUBLIC KEY-----", pemLine + "\n-----END CERTIFICATE-----", "-----BEGIN PRIV" + "ATE KEY-----\nhere is prose\n",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		checkPieces(t, r, text+"\nend", 3)
	}
}

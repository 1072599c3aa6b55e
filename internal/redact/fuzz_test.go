package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzString checks what must hold for every text: no panic, redacting a redacted
// text changes nothing, no held value stays, and a stream gives the same.
func FuzzString(f *testing.F) {
	const value = "correct-horse-battery-staple"
	for _, s := range []string{
		"password=hunter2hunter2", `{"token":"a8f5f167f44f4964e6c998dee827110c"}`, "postgres://u:p4ss@h/db", value,
		"中" + value + "文",
		"Authorization: Bearer a8f5f167f44f4964e6c998dee827110c",
		"-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu\n",
		"[REDACTED:password]=[REDACTED:", "[REDACTED:ip:2********7:0123456789ab]hunter2hunter2[REDACTED:ip:0123456789a",
		"\xff\xfe" + value + "\xff", "mysql -u root -pabc123 db", "bob@example.org 13800138000 203.0.113.7",
		"Cookie: sessionid=38afes7a8f9a2b3c; a=b", "name: DB_PASSWORD\n  value: x1y2z3", "EMP-123456",
	} {
		f.Add(s, uint64(1))
	}
	r, err := New(Options{
		Key:    []byte("key"),
		Values: []string{value, "密码在这里不要看"}, Personal: []string{"email", "phone", "card", "ip"},
		Rules: []Rule{{ID: "badge", Pattern: `EMP-\d{6}`}, {ID: "line", Pattern: `(?m)^note: (.+)$`}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		once := r.String(text)
		if again := r.String(once); again != once {
			t.Errorf("not idempotent:\ntext  %q\nonce  %q\nagain %q", text, once, again)
		}
		if strings.Contains(once, value) {
			t.Errorf("a held value stays in %q", once)
		}
		random := rand.New(rand.NewPCG(seed, 2))
		for _, longest := range []int{1, 7, 40} {
			if got := inPieces(r, text, random, longest); got != once {
				t.Errorf("in pieces:\ntext  %q\ngot   %q\nwhole %q", text, got, once)
			}
		}
	})
}

package redact

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

var mixtures = flag.Int("mixtures", 1500, "random texts that are redacted whole, again and in pieces")

// fragments are what secrets, and what looks like it, are made of.
var fragments = strings.Split(`password|PASSWORD|DB_PASS|token|API_KEY|apiKey|secret|密码|令牌|pass|key|is|是|：|:| |  |=|:=|=>|"|'|\"|\\|\n|,|;|(|)|[|]|{|}|<|>|/|@|.|-|--|_|&|?|$|${|%|%20|#|!|
hunter2|letmein|a8f5f167f44f4964e6c998dee827110c|kTaP6TrE3UJ7WXOOoZ306SV42ovHE7h5OFwsXtsM|string|None|xxxx|<your|550e8400-e29b-41d4-a716-446655440000|abc123|Blue!42Tango|
ghp_0123456789abcdefghijABCDEFGHIJ456789|sk-|AKIAQ3EGZ7R2LMN4WXYT|wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzAKEYx|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123|SG.|xoxb-|hooks.slack.com/services/|T0001/B0001/abcdefgh123|
://|https://|postgres://|u:|user:p4ss@|@tcp(|:5432:|localhost|example.org|Authorization|Bearer |Basic |dXNlcjpwYXNz|Cookie: |sessionid=|Set-Cookie|curl |-u |mysql |-p|echo |login |--password-stdin|
-----BEGIN |RSA |PRIVATE KEY-----|-----END |MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu|name: |value: |"value":|Private-Lines: 2|Bob|bob@example.org|13800138000|203.0.113.7|4111 1111 1111 1111|
correct-horse-battery-staple|Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZQ|EMP-123456|note: |[REDACTED:password]|[REDACTED:|[REDACTED:secret#1a2b3c4d]|[REDACTED:badge:E********6:0123456789ab]|-us14|NRAL|FFFFNRAL|machine h login bob |user/|a9,bX;c1| - |::=|.=|||=|<key>|</key><string>|<password|lang="x">|{"log":"|\n","stream":"x"}|ConvertTo-SecureString |mysql_native_password BY '|[32]|"d":"|PASSWORD, "|passwords|비밀번호|는 |LS0tLS1CRUdJTiBSU0EgUFJJVkFURS|123456789012345||-su |$2b$|$6$|text|和|。|`, "|")

func mixture(random *rand.Rand) string {
	var out strings.Builder
	for range 1 + random.IntN(14) {
		f := fragments[random.IntN(len(fragments))]
		if f == `\n` || strings.HasPrefix(f, "\n") && random.IntN(2) == 0 {
			f = "\n" + strings.TrimLeft(f, "\n\\")
		}
		if len(f) > 3 && random.IntN(8) == 0 {
			f = f[:random.IntN(len(f))]
		}
		out.WriteString(f)
	}
	return out.String()
}

func TestRandomMixturesAreRedactedAlikeWholeAgainAndInPieces(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{
		Key: []byte("key"), Values: []string{"correct-horse-battery-staple"}, Personal: []string{"email", "phone",
			"card", "ip"},
		Rules: []Rule{{ID: "badge", Pattern: `EMP-\d{6}`}, {ID: "note", Pattern: `(?m)^note: (.+)$`}},
	})
	random := rand.New(rand.NewPCG(20261120, uint64(*mixtures)))
	failures := 0
	for range *mixtures {
		text := mixture(random)
		once := r.String(text)
		if again := r.String(once); again != once {
			failures++
			t.Errorf("not idempotent:\ntext  %q\nonce  %q\nagain %q", text, once, again)
		}
		if got, err := r.Source(text).Resolve(once, nil); err == nil && got != text {
			failures++
			t.Errorf("resolved:\ntext  %q\nonce  %q\ngot   %q", text, once, got)
		}
		for _, longest := range []int{1, 9} {
			if got := inPieces(r, text, random, longest); got != once {
				failures++
				t.Errorf("in pieces of up to %d:\ntext  %q\ngot   %q\nwhole %q", longest, text, got, once)
				break
			}
		}
		if failures > 12 {
			t.Fatal("and so on")
		}
	}
}

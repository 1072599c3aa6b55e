package redact

import "testing"

// SH8: personal data as optional rules.
func TestPersonalDataIsRedactedWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	all := newTest(t, Options{Personal: []string{"email", "phone", "card", "ip"}})
	off := newTest(t, Options{})
	for _, c := range []struct{ text, want string }{
		{"write to bob.b+x@mail.example.org, please", "write to [REDACTED:email], please"},
		{"邮箱是alice@example.com。", "邮箱是[REDACTED:email]。"},
		{"<bob@example.org>", "<[REDACTED:email]>"},
		{"电话13800138000，谢谢", "电话[REDACTED:phone]，谢谢"},
		{"手机:+86 138-0013-8000", "手机:[REDACTED:phone]"},
		{"tel 010-62345678 ext", "tel [REDACTED:phone] ext"},
		{"call +49 30 1234567 now", "call [REDACTED:phone] now"},
		{"call (212) 555-0147.", "call [REDACTED:phone]."},
		{"+1-212-555-0147", "[REDACTED:phone]"},
		{"card 4111 1111 1111 1111 ok", "card [REDACTED:card] ok"},
		{"call +49 30 1234567 4111 1111 1111 1111 now", "call [REDACTED:phone] [REDACTED:card] now"},
		{"0049 30 1234567 5555-5555-5555-4444", "[REDACTED:phone] [REDACTED:card]"},
		{"+86 138-0013-8000 4111111111111111", "[REDACTED:phone] [REDACTED:card]"},
		{"卡号6222020000000000000。", "卡号[REDACTED:card]。"},
		{"5555-5555-5555-4444", "[REDACTED:card]"},
		{"378282246310005", "[REDACTED:card]"},
		{"from 203.0.113.7 port 22", "from [REDACTED:ip] port 22"},
		{"http://203.0.113.7:8080/", "http://[REDACTED:ip]:8080/"},
		{"来自2001:db8::8a2e:370:7334的请求", "来自[REDACTED:ip]的请求"},
	} {
		if got := all.String(c.text); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
		if got := off.String(c.text); got != c.text {
			t.Errorf("without being asked for, %q became %q", c.text, got)
		}
		checkPieces(t, all, "先 "+c.text+" 后 12", 3)
	}
}

func TestWhatOnlyLooksLikePersonalDataStays(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Personal: []string{"email", "phone", "card", "ip"}})
	for _, text := range []string{
		"git@github.com:acme/app.git", "npm i @types/node@20.1.0", "a@b", "user@localhost",
		"2026-11-20 10:00:01.123", "1732096800123", "order 20261120123456789012",
		"550e8400-e29b-41d4-a716-446655440000",
		"4111 1111 1111 1112", "sum 1234567890123456", "0.13800138000", "v1.2.3", "1.2.3.4.5", "999.1.1.1",
		"127.0.0.1:8080", "::1", "0.0.0.0", "std::vector", "10:20:30", "a8f5f167f44f4964e6c998dee827110c",
		"lines 100-200, 300-400", "[1/45] 12 of 99", "3.14159 26535", "x13800138000y",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// inPieces sends text through a stream, cut at random places.
func inPieces(r *Redactor, text string, random *rand.Rand, longest int) string {
	var out strings.Builder
	s := r.Stream()
	for len(text) > 0 {
		n := min(1+random.IntN(longest), len(text))
		out.WriteString(s.Write(text[:n]))
		text = text[n:]
	}
	out.WriteString(s.Flush())
	return out.String()
}

func checkPieces(t *testing.T, r *Redactor, text string, rounds int) {
	t.Helper()
	want := r.String(text)
	random := rand.New(rand.NewPCG(1, uint64(len(text))))
	for _, longest := range []int{1, 2, 5, 17, 100} {
		for range rounds {
			if got := inPieces(r, text, random, longest); got != want {
				t.Fatalf("in pieces of up to %d bytes:\n got %q\nwant %q\ntext %q", longest, got, want, text)
			}
		}
	}
}

func TestAStreamGivesTheSameAsTheWholeText(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	r := newTest(t, Options{Values: []string{secret, "correct-correct", "密码在这里不要看"}})
	wrapped := base64.StdEncoding.EncodeToString([]byte("some text before " + secret + " and after it"))
	for _, text := range []string{
		"nothing here, 什么也没有",
		"a " + secret + " b " + secret + secret,
		"correct-correct-horse-battery-staple",
		"correct-horse-battery-stapl correct-horse",
		"他的" + "密码在这里不要看" + "!",
		wrapped[:20] + "\n" + wrapped[20:40] + "\r\n    " + wrapped[40:],
		"[REDACTED:server-secret] [REDACTED:unknown] [REDACTED:" + secret,
		secret + "[REDACTED:server-secret]" + secret,
	} {
		checkPieces(t, r, text, 5)
	}
}

func TestAStreamHoldsBackNoMoreThanIsUndecided(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Values: []string{"correct-horse-battery"}})
	s := r.Stream()
	for _, step := range []struct{ write, want string }{
		{"plain text ", "plain text "},
		{"corr", ""},
		{"ode; correct-horse", "corrode; "},
		{"-battery", "[REDACTED:server-secret]"},
		{"!", "!"},
		{"\xe5\xaf", ""},
		{"\x86", "密"[0:0] + "\xe5\xaf\x86"},
		{"correct", ""},
	} {
		if got := s.Write(step.write); got != step.want {
			t.Errorf("Write(%q) = %q, want %q", step.write, got, step.want)
		}
	}
	if got := s.Flush(); got != "correct" {
		t.Errorf("Flush() = %q", got)
	}
	if got := s.Write("next one"); got != "next one" {
		t.Errorf("after Flush: %q", got)
	}
}

func TestCustomRulesMatchAcrossPieces(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Rules: []Rule{
		{ID: "badge", Pattern: `\bEMP-\d{6}\b`},
		{ID: "line", Pattern: `(?m)^note: (.+)$`},
		{ID: "block", Pattern: `(?s)<<(.*?)>>`},
		{ID: "word", Pattern: `(?i)geheim\w*`},
		{ID: "zh", Pattern: `工号[:：]\s*(\d+)`},
	}})
	for _, text := range []string{
		"EMP-123456 xEMP-123456 EMP-1234567 EMP-654321", "a\nnote: the rest of it\nnote: and more", "note: only",
		"x << a\nb >> y << open", "GeheimnisGEHEIM geheim", "我的工号: 4711，工号：12", "EMP-123456[REDACTED:badge]EMP-123456",
		"geheim [REDACTED:word] note",
	} {
		checkPieces(t, r, text, 10)
	}
}

func TestAWordThatNothingComesOfIsNotHeldBack(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	s := r.Stream()
	for _, step := range []struct{ write, want string }{
		{"The quick", "The quick"},
		{" brown fox", " brown fox"},
		{" jumps", " jumps"},
		{"，然后", "，然后"},
		{" the password", " the password"}, // a name is no secret
		{" is", " "},                       // it could be one
		{" not", "is "},                    // and so could this
		{" here.", "not here."},
		{" `sk-", " `"},
		{"learn` ", "sk-learn` "},
	} {
		if got := s.Write(step.write); got != step.want {
			t.Errorf("Write(%q) = %q, want %q", step.write, got, step.want)
		}
	}
}

func TestAnEndlessFindIsReleasedInParts(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Rules: []Rule{{ID: "all", Pattern: `(?s)<<.*>>`}}})
	s := r.Stream()
	var out strings.Builder
	out.WriteString(s.Write("<<"))
	for range 200 {
		out.WriteString(s.Write(strings.Repeat("x", 1023) + "\n"))
	}
	if out.Len() < 128<<10 {
		t.Errorf("only %d bytes left the stream", out.Len())
	}
}

package redact

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func newKeyed(t testing.TB, rules ...Rule) *Redactor {
	t.Helper()
	r, err := New(Options{Key: []byte("key"), Rules: rules, Values: []string{"the-held-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const envFile = "DB_PASSWORD=hunter2hunter2\nAPI_TOKEN=a8f5f167f44f4964e6c998dee827110c\nPLAIN=1\nOLD=[REDACTED:password]\nHELD=the-held-secret\n"

// RD1: what was redacted and comes back unchanged is the original.
func TestResolvingARedactedTextGivesTheText(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Redact, Mask, Hash, Block} {
		r := newKeyed(t, Rule{ID: "password", Strategy: strategy}, Rule{ID: "secret", Strategy: strategy})
		redacted := r.String(envFile)
		for _, secret := range []string{"hunter2hunter2", "a8f5f167f44f4964e6c998dee827110c", "the-held-secret"} {
			if strings.Contains(redacted, secret) {
				t.Errorf("%s: %q stays in %q", strategy, secret, redacted)
			}
		}
		source := r.Source(envFile)
		if source.Redacted() != redacted {
			t.Errorf("%s: %q and %q", strategy, source.Redacted(), redacted)
		}
		if got, err := source.Resolve(redacted, nil); err != nil || got != envFile {
			t.Errorf("%s: %q, %v", strategy, got, err)
		}
		if source.Count() != 3 || r.Count(envFile) != 3 {
			t.Errorf("%s: %d and %d secrets are counted", strategy, source.Count(), r.Count(envFile))
		}
	}
}

// RD1: a placeholder that cannot be resolved is an error.
func TestAMarkThatTheSourceDoesNotHaveIsUnresolved(t *testing.T) {
	t.Parallel()
	r := newKeyed(t)
	source := r.Source(envFile)
	other := r.String("OTHER_PASSWORD=correcthorse99")
	good := r.String("DB_PASSWORD=hunter2hunter2")
	for _, text := range []string{
		other, "x [REDACTED:password:0123456789ab] y", "[REDACTED:secret]", "[REDACTED:gone-rule:0123456789ab]",
		strings.TrimSuffix(good, "]"), strings.ToLower(good), strings.Replace(good, "]", "0]", 1),
		"[REDACTED:password#1a2b3c4d]",
		strings.Replace(good, ":password:", ":", 1),
	} {
		got, err := source.Resolve(text, nil)
		var unresolved *UnresolvedError
		if !errors.As(err, &unresolved) || got != "" || !strings.Contains(text, unresolved.Mark) {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
		if mark, found := FirstMark(text); !found || unresolved != nil && mark != unresolved.Mark {
			t.Errorf("%q: the first mark is %q", text, mark)
		}
	}
	if got, err := source.Resolve(other, r.Source("OTHER_PASSWORD=correcthorse99").Known()); err != nil ||
		got != "OTHER_PASSWORD=correcthorse99" {
		t.Errorf("what is known beside is not used: %q, %v", got, err)
	}
	for _, text := range []string{"", "[REDACTED:", `markOpen = "[REDACTED:"`, "[REDACTED: by hand]",
		"[REDACTED:<rule>]", "REDACTED"} {
		if got, err := source.Resolve(text, nil); err != nil || got != text {
			t.Errorf("%q is taken for a mark: %q, %v", text, got, err)
		}
	}
}

func TestTwoSecretsWithOneIDResolveToNeither(t *testing.T) {
	t.Parallel()
	known := Known{}
	known.learn("0123456789ab", "one")
	known.learn("0123456789ab", "two")
	if value, found := known.value("[REDACTED:x:0123456789ab]"); found {
		t.Errorf("the mark stands for %q", value)
	}
}

func TestAPartOfASecretIsToldFromAllOfIt(t *testing.T) {
	t.Parallel()
	const text = "a DB_PASSWORD=hunter2hunter2 b"
	source := newKeyed(t).Source(text)
	from := strings.Index(text, "hunter2hunter2")
	to := from + len("hunter2hunter2")
	for _, c := range []struct {
		start, end int
		want       bool
	}{
		{0, from, false}, {to, len(text), false}, {from, to, false}, {0, len(text), false}, {from - 3, to + 1, false},
		{from, to - 1, true}, {from + 1, to, true}, {from + 1, to - 1, true}, {0, from + 1, true},
		{to - 1, len(text), true},
	} {
		if got := source.Cuts(c.start, c.end); got != c.want {
			t.Errorf("%q cuts a secret: %v", text[c.start:c.end], got)
		}
	}
	if got := source.Blanked(); strings.Contains(got, "unter") || len(got) != len(text) || !strings.HasSuffix(got,
		" b") {
		t.Errorf("blanked: %q", got)
	}
}

// The marks of a stream are those of the whole text, ids included.
func TestAStreamMakesTheSameIDs(t *testing.T) {
	t.Parallel()
	r := newKeyed(t, Rule{ID: "secret", Strategy: Mask})
	checkPieces(t, r, envFile+r.String(envFile)+envFile, 10)
}

func TestATextIsCutBeforeAMarkNotInIt(t *testing.T) {
	t.Parallel()
	text := newKeyed(t, Rule{ID: "password", Strategy: Mask}).String("DB_PASSWORD=hunter2hunter2-and-more")
	for end := range len(text) + 1 {
		want := end
		if end > len("DB_PASSWORD=") && end < len(text) {
			want = len("DB_PASSWORD=")
		}
		if got := WholeMarks(text[:end]); got != want {
			t.Errorf("%q is whole up to %d, want %d", text[:end], got, want)
		}
	}
}

// FuzzResolve checks what must hold for every text: the way back is exact, a mark
// that nobody knows is never written, and nothing panics.
func FuzzResolve(f *testing.F) {
	f.Add(envFile, "[REDACTED:password:0123456789ab]", uint64(1))
	f.Add("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu\n", "[REDACTED:a:]]", uint64(2))
	f.Add("[REDACTED:password:EMP-123456]EMP-123456", "[[REDACTED:badge:E********6:0123456789ab", uint64(3))
	r := newKeyed(f, Rule{ID: "badge", Pattern: `EMP-\d{6}`, Strategy: Mask})
	f.Fuzz(func(t *testing.T, text, other string, seed uint64) {
		source := r.Source(text)
		redacted := r.String(text)
		_, hasMarks := FirstMark(text) // a secret in a text like a mark makes another one of it: refused
		if got, err := source.Resolve(redacted, nil); err != nil && !hasMarks || err == nil && got != text {
			t.Errorf("the way back:\ntext     %q\nredacted %q\ngot      %q, %v", text, redacted, got, err)
		}
		if got, err := source.Resolve(other, nil); err == nil {
			for _, mark := range anyMark.FindAllString(other, -1) {
				if strings.Contains(got, mark) && !strings.Contains(text, mark) {
					t.Errorf("%q, which nobody knows, is written in %q", mark, got)
				}
			}
		}
		random := rand.New(rand.NewPCG(seed, 3))
		mark := fmt.Sprintf("[REDACTED:badge:%012x]", random.Uint64N(1<<48))
		if _, err := source.Resolve(mark, nil); err == nil && !strings.Contains(text, mark) {
			t.Errorf("the forged %s is resolved", mark)
		}
	})
}

package redact

import (
	"strings"
	"testing"
)

func TestEveryWrongRuleIsNamedInTheError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"no id":  {Options{Rules: []Rule{{Pattern: "a+"}}}, []string{"redaction rule 1", "an id"}},
		"odd id": {Options{Rules: []Rule{{ID: "a b", Pattern: "a+"}}}, []string{`"a b"`, "an id"}},
		"twice": {Options{Rules: []Rule{{ID: "x", Pattern: "a+"}, {ID: "x", Pattern: "b+"}}},
			[]string{`"x"`, "used twice"}},
		"broken pattern": {Options{Rules: []Rule{{ID: "x", Pattern: "a("}}}, []string{`"x"`, "RE2",
			"missing closing )"}},
		"not RE2":         {Options{Rules: []Rule{{ID: "x", Pattern: "a(?=b)"}}}, []string{`"x"`, "RE2"}},
		"matches nothing": {Options{Rules: []Rule{{ID: "x", Pattern: "a*"}}}, []string{`"x"`, "empty text"}},
		"strategy": {Options{Rules: []Rule{{ID: "x", Pattern: "a+", Strategy: "hide"}}},
			[]string{`"x"`, `"hide"`, "redact, mask, hash, block"}},
		"a built-in id":      {Options{Rules: []Rule{{ID: "jwt", Pattern: "a+"}}}, []string{`"jwt"`, "built-in"}},
		"no pattern":         {Options{Rules: []Rule{{ID: "x"}}}, []string{`"x"`, "a pattern is needed"}},
		"unknown to disable": {Options{Disabled: []string{"nope"}}, []string{`"nope"`}},
		"unknown personal": {Options{Personal: []string{"shoe-size"}}, []string{`"shoe-size"`,
			"email, phone, card, ip"}},
		"the server's own": {Options{Disabled: []string{ServerSecret}}, []string{ServerSecret, "cannot be disabled"}},
		"two at once": {Options{Disabled: []string{"nope"}, Rules: []Rule{{ID: "x"}}},
			[]string{`"nope"`, `"x"`}},
	} {
		_, err := New(c.options)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is missing in %q", name, want, err)
			}
		}
	}
}

func TestADisabledRuleFindsNothing(t *testing.T) {
	t.Parallel()
	text := "see AKIA" + "Q3EGZ7R2LMN4WXYT here"
	if got, want := newTest(t, Options{}).String(text), "see [REDACTED:aws-access-key] here"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := newTest(t, Options{Disabled: []string{"aws-access-key"}}).String(text); got != text {
		t.Errorf("got %q", got)
	}
	text = "password=letmein99"
	if got := newTest(t, Options{Disabled: []string{"password"}}).String(text); got != text {
		t.Errorf("got %q", got)
	}
}

// SH8: strategies redact, mask, hash, block per rule.
func TestEachStrategyLeavesItsOwnTrace(t *testing.T) {
	t.Parallel()
	const text = "the badge EMP-123456-XYZW and EMP-123456-XYZW"
	keyed := func(key string, s Strategy) *Redactor {
		return newTest(t, Options{Key: []byte(key), Rules: []Rule{{ID: "badge", Pattern: `EMP-\d{6}-[A-Z]+`,
			Strategy: s}}})
	}
	r := func(s Strategy) *Redactor { return keyed("", s) }
	for s, want := range map[Strategy]string{"": "[REDACTED:badge]", Hash: "[REDACTED:badge]", Mask: "E********W"} {
		if got, want := r(s).String(text), "the badge "+want+" and "+want; got != want {
			t.Errorf("%s without a key: %q, want %q", s, got, want)
		}
	}
	const id = "81b3dadc4285" // of the badge, with the key k
	for s, want := range map[Strategy]string{
		"": "[REDACTED:badge:" + id + "]", Hash: "[REDACTED:badge:" + id + "]", Block: "[REDACTED:badge:" + id + "]",
		Mask: "[REDACTED:badge:E********W:" + id + "]",
	} {
		got := keyed("k", s).String(text)
		if want := "the badge " + want + " and " + want; got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
		if again := keyed("k", s).String(got); again != got {
			t.Errorf("%s: redacting %q again changes it", s, got)
		}
	}
	if got := keyed("another", Redact).String(text); strings.Contains(got, id) {
		t.Errorf("another key gives the same id: %q", got)
	}
	if rule, blocked := r(Block).Blocked(text); !blocked || rule != "badge" {
		t.Errorf("block: %q, %v", rule, blocked)
	}
	if _, blocked := r(Redact).Blocked(text); blocked {
		t.Error("redact blocks")
	}
	if got := r(Block).String(text); strings.Contains(got, "EMP") {
		t.Errorf("a blocked text shows the secret: %q", got)
	}
	for _, s := range []Strategy{Redact, Mask, Hash, Block} {
		if once := r(s).String(text); r(s).String(once) != once {
			t.Errorf("%s: redacting %q again changes it", s, once)
		}
	}
}

func TestABuiltInRuleTakesAnotherStrategy(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Rules: []Rule{{ID: "github-token", Strategy: Mask}, {ID: "private-key", Strategy: Block}}})
	if got, want := r.String("ghp_"+"0123456789abcdefghijABCDEFGHIJ456789"), "ghp_********6789"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, blocked := r.Blocked("-----BEGIN RSA PRIV" +
		"ATE KEY-----\nMIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu"); !blocked {
		t.Error("a private key is not blocked")
	}
}

func TestOverlappingFindsAreRedactedAsOneByTheStricterStrategy(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Values: []string{"hunter2-hunter2"}, Rules: []Rule{{ID: "start", Pattern: `xx-hunter2`,
		Strategy: Mask}}})
	if got, want := r.String("a xx-hunter2-hunter2 b"), "a [REDACTED:server-secret] b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyTheFirstGroupOfACustomRuleIsRedacted(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Rules: []Rule{{ID: "case", Pattern: `case no\. (\d+)(/\d+)?`}}})
	if got, want := r.String("see case no. 4711/9 and case no. 12"),
		"see case no. [REDACTED:case]/9 and case no. [REDACTED:case]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValuesOnlyTurnsEverythingElseOff(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{ValuesOnly: true, Values: []string{"the-held-secret"}, Personal: []string{"email"},
		Rules: []Rule{{ID: "x", Pattern: "xyz"}}})
	text := "password=letmein99 xyz a@example.org "
	if got, want := r.String(text+"the-held-secret"), text+"[REDACTED:server-secret]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFindReportsWhatStringRedacts(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Values: []string{"the-held-secret"}})
	text := "a the-held-secret b password=letmein99"
	found := r.Find(text)
	if len(found) != 2 || found[0].Rule != ServerSecret || text[found[0].Start:found[0].End] != "the-held-secret" ||
		found[1].Rule != "password" || text[found[1].Start:found[1].End] != "letmein99" {
		t.Errorf("found %+v", found)
	}
	if got := string(r.Bytes([]byte(text))); got != r.String(text) {
		t.Errorf("Bytes gives %q", got)
	}
}

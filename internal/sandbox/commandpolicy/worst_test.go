package commandpolicy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/shellanalysis"
)

// worstLines cost more than others of their length.
func worstLines() map[string]string {
	return map[string]string{
		"pipes":     strings.Repeat("a|", 8000) + "b",
		"nested":    strings.Repeat(strings.Repeat("$(", 95)+"id"+strings.Repeat(")", 95)+";", 50),
		"blocks":    strings.Repeat("{ ", 150) + strings.Repeat("a|", 5000) + "a" + strings.Repeat("; }", 150),
		"redirects": strings.Repeat("{ ", 150) + strings.Repeat("a;", 5000) + strings.Repeat(" } >x;", 150),
		"evals":     strings.Repeat("eval 'a;a;a;a';", 1000),
		"deep":      strings.Repeat("eval eval ", 1500) + "a",
	}
}

// BenchmarkLists is the time of the slowest look at each of the worst lines.
func BenchmarkLists(b *testing.B) {
	policy := Policy{Mode: DenyList, Deny: []string{"git push"}}
	for name, line := range worstLines() {
		b.Run(name, func(b *testing.B) {
			slowest := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				var refused *RefusedError
				if err := policy.Check(line); err != nil && !errors.As(err, &refused) {
					b.Fatal(err)
				}
				slowest = max(slowest, time.Since(start))
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
		})
	}
}

// SH4: words that xargs hands on may be those of the deny-list.
func TestWordsThatAreHandedOnAreUndecided(t *testing.T) {
	t.Parallel()
	policy := Policy{Mode: DenyList, Deny: []string{"git push", "ssh"}}
	var refused *RefusedError
	if err := policy.Check("echo push | xargs git"); !errors.As(err, &refused) || refused.Undecided {
		t.Errorf("xargs git: %v", err)
	}
	if err := policy.Check("eval \"$X\""); !errors.As(err, &refused) || !refused.Undecided {
		t.Errorf("eval: %v", err)
	}
	for _, line := range []string{"ls | xargs grep x", "ls | xargs rm"} {
		if err := policy.Check(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// SH4: lists are not applied to half a line. One that is too long is refused where
// only what is listed may run, and otherwise a person decides.
func TestALineThatIsTooLongForTheLists(t *testing.T) {
	t.Parallel()
	long := "ls " + strings.Repeat("a ", shellanalysis.MaxSource/2)
	for _, test := range []struct {
		policy             Policy
		refused, undecided bool
	}{
		{Policy{Mode: DenyList}, false, false},
		{Policy{Mode: DenyList, Deny: []string{"git push"}}, true, true},
		{Policy{Mode: AllowList, Allow: []string{"ls"}}, true, false},
	} {
		err := test.policy.Check(long)
		var refused *RefusedError
		if errors.As(err, &refused) != test.refused || test.refused && refused.Undecided != test.undecided {
			t.Errorf("%+v: %v", test.policy, err)
		}
	}
}

// The redirection that holds for a command is the innermost, whatever is around it.
func TestTheInnermostRedirectionHolds(t *testing.T) {
	t.Parallel()
	policy := Policy{Mode: DenyList, Deny: []string{"git push"}}
	for _, line := range []string{
		strings.Repeat("{ ", 40) + "bash <<< 'git push'" + strings.Repeat("; } <<< ls", 40),
		"{ bash <<< 'git push'; } <<< ls", "bash <<< ls <<< 'git push'", "{ bash; } <<< 'git push'",
		"{ { bash; }; } <<< 'git push'",
	} {
		var refused *RefusedError
		if err := policy.Check(line); !errors.As(err, &refused) || refused.Undecided ||
			!strings.Contains(refused.Message, "is on the deny-list") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{"{ bash <<< ls; } <<< 'git push'", strings.Repeat("{ ", 40) + "bash <<< ls" +
		strings.Repeat("; } <<< 'git push'", 40)} {
		if err := policy.Check(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

package terminal

import (
	"strings"
	"testing"
)

func asking(command string) Approval {
	one := Approval{ID: "a1", Status: "pending", Call: &Call{}}
	one.Call.Function.Name, one.Call.Function.Arguments = "shell_execute", `{"command":"`+command+`"}`
	return one
}

// TG4: a person decides by what the question shows, so nothing in it goes unseen.
func TestTheQuestionHidesNothingOfACall(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ command, want string }{
		"blanks": {"rm old.txt" + strings.Repeat(" ", 3000) + "; rm -rf x",
			`"command": "rm old.txt⟨3000 blanks⟩; rm -rf x"`},
		"reordered text":  {"rm cod.\u202egpj", `"command": "rm cod.⟨U+202E⟩gpj"`},
		"no width":        {"r\u200bm\u00ad x\ufeff", `"command": "r⟨U+200B⟩m⟨U+00AD⟩ x⟨U+FEFF⟩"`},
		"other blanks":    {"rm\u00a0a\u3164\u2800", `"command": "rm⟨U+00A0⟩a⟨U+3164⟩⟨U+2800⟩"`},
		"tags":            {"x\U000e0041", `"command": "x⟨U+E0041⟩"`},
		"controls":        {"x\x1b[31m\x7f", "⟨U+001B⟩[31m⟨U+007F⟩"},
		"ordinary text":   {"echo größer 多 日本語 🙂", `"command": "echo größer 多 日本語 🙂"`},
		"an escaped sign": {`echo \u202e`, `"command": "echo \u202e"`},
	} {
		if got := asking(tc.command).Question(); !strings.Contains(got, tc.want) {
			t.Errorf("%s: the question is\n%s\nwhich lacks %s", name, got, tc.want)
		}
	}
	if got := asking(strings.Repeat("x", 5000)).Question(); !strings.Contains(got, strings.Repeat("x", 5000)) ||
		!strings.Contains(got, "(5014 characters)") {
		t.Errorf("a long command is not shown in full with its length: %.200q", got)
	}
}

// TG4: what an approval would cover is said in words before it is given.
func TestTheQuestionSaysWhatAnApprovalCanCover(t *testing.T) {
	t.Parallel()
	one := asking("npm run build")
	one.Coverages = []Coverage{{Covers: "call"}}
	if got := one.Question(); strings.Contains(got, "you can approve") {
		t.Errorf("there is nothing to choose: %s", got)
	}
	one.Coverages = append(
		one.Coverages,
		Coverage{Covers: "prefix", Pattern: "npm run \u202e*"},
		Coverage{Covers: "rule"},
		Coverage{Covers: "tool"},
		Coverage{Covers: "new"},
	)
	one.Coverages[2].Rules = append(one.Coverages[2].Rules, struct {
		Message string `json:"message"`
	}{"it removes\x1b files"})
	one.Coverages[1].Rules = one.Coverages[2].Rules
	for _, want := range []string{"harmless ones, also when: it removes⟨U+001B⟩ files\n",
		"  call    this call with just these arguments\n", "  prefix  every command npm run ⟨U+202E⟩*",
		"no other reason than: it removes⟨U+001B⟩ files\n", "  tool    every call of shell_execute; only",
		"  new     unknown to this version"} {
		if got := one.Question(); !strings.Contains(got, want) {
			t.Errorf("the question is\n%s\nwhich lacks %q", got, want)
		}
	}
}

func TestACallInShortSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	if got, want := asking("rm old.txt"+strings.Repeat(" ", 3000)+"; rm -rf \u202ex").what(),
		"shell_execute rm old.txt ; rm -rf ⟨U+202E⟩x"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	if got := asking(strings.Repeat("x", 200)).what(); !strings.HasSuffix(got, "x… (81 more)") {
		t.Errorf("it is %q", got)
	}
}

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// approvalEvent asks about a call of shell_execute, or tells what came of it.
func approvalEvent(w *eventStream, cursor, id, status, severity string) {
	kind := "approval.requested"
	if status != "pending" {
		kind = "approval.resolved"
	}
	w.send(cursor, kind, `"approval":{"id":"`+id+`","status":"`+status+`","agent_path":"main/cleaner",`+
		`"findings":[{"severity":"`+severity+`","message":"deletes files\u001b[2J","evidence":"rm -rf x"}],`+
		`"tool_call":{"id":"c`+id+`","function":{"name":"shell_execute","arguments":"{\"command\":\"rm -rf x\"}"}}}`)
}

// asking is a run in which calls wait, each until the one before is decided.
func asking(f *fakeAPI, severities ...string) *[]string {
	bodies := &[]string{}
	f.connections = []func(*eventStream){func(w *eventStream) {
		for i, severity := range severities {
			id := string(rune('a' + i))
			approvalEvent(w, id+"1", id, "pending", severity)
			select {
			case body := <-f.decided:
				*bodies = append(*bodies, body)
			case <-w.gone:
				return
			}
			approvalEvent(w, id+"2", id, "approved", severity)
		}
		w.end("completed", "")
	}}
	return bodies
}

// TG4: --yes approves all, or what is no worse than the severity; the rest is denied,
// with words for the model and for the person.
func TestYesApprovesUpToASeverity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		flag string
		want []string // by severity: HIGH, MEDIUM, LOW, one that is not known
	}{
		{"--yes", []string{"approve", "approve", "approve", "approve"}},
		{"--yes=medium", []string{"deny", "approve", "approve", "deny"}},
		{"--yes=critical", []string{"approve", "approve", "approve", "approve"}},
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		bodies := asking(f, "HIGH", "MEDIUM", "LOW", "NEW")
		i.want(0, "", "", "run", tc.flag, "x")
		if len(*bodies) != 4 {
			t.Fatalf("%s: decided %q", tc.flag, *bodies)
		}
		for n, body := range *bodies {
			if !strings.Contains(body, `"decision":"`+tc.want[n]+`"`) || strings.Contains(body,
				"deny") != strings.Contains(body, "only calls up to medium") {
				t.Errorf("%s: decision %d is %s, want %s", tc.flag, n, body, tc.want[n])
			}
		}
		if tc.flag == "--yes=medium" && !strings.Contains(i.errors.String(), "approve it with --yes=high") {
			t.Errorf("stderr: %s", i.errors.String())
		}
	}
}

// TG4: where nobody can be asked a call is denied, and it is said what to do. With
// --json the output is the events alone.
func TestWithoutATerminalACallIsDenied(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "x"}, {"run", "--json", "x"}} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		bodies := asking(f, "LOW")
		i.want(0, "", "this is not a terminal: approve with --yes", args...)
		if len(*bodies) != 1 || !strings.Contains((*bodies)[0], `"decision":"deny"`) || !strings.Contains((*bodies)[0],
			"no person could be asked") {
			t.Errorf("decided %q", *bodies)
		}
		if len(args) == 3 {
			for line := range strings.Lines(i.out.String()) {
				if !strings.HasPrefix(line, `{"type":`) {
					t.Errorf("no event: %q", line)
				}
			}
		}
	}
}

// typing makes an invocation one with a person at the terminal who types this.
func typing(i *invocation, text string) {
	i.stdin = strings.NewReader(text)
	i.terminal = func(any) (int, int, bool) { return 80, 24, true }
}

// TG4: the person sees tool, agent, findings and arguments, without escape codes of
// theirs, and answers.
func TestThePersonAtTheTerminalIsAsked(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"y\n":               `{"decision":"approve","scope":"once"}`,
		"what?\n\nYES\n":    `{"decision":"approve","scope":"once"}`,
		"c\n":               `{"decision":"approve","scope":"conversation"}`,
		"a\n":               `{"decision":"approve","scope":"always"}`,
		"n keep the logs\n": `{"decision":"deny","reason":"keep the logs"}`,
		"n":                 `{"decision":"deny"}`,
		"":                  `{"decision":"deny","reason":"the person at the terminal gave no answer"}`,
		"e\n{\ne\n{\"command\":\"ls x\",\"n\":12345678901234567890}\n": `{"decision":"approve","scope":"once","arguments":{"command":"ls x","n":12345678901234567890}}`,
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		bodies := asking(f, "HIGH")
		typing(i, typed)
		i.want(0, "",
			"shell_execute needs your approval (main/cleaner)\n  HIGH     deletes files⟨U+001B⟩[2J: rm -rf x\n  {\n  "+
				"  \"command\": \"rm -rf x\"\n  }\n  (22 characters)\n", "run", "x")
		if len(*bodies) != 1 || (*bodies)[0] != want {
			t.Errorf("typed %q: decided %q, want %s", typed, *bodies, want)
		}
	}
}

// TG4: what an approval for more than one call would cover is shown in words, and chosen by
// a word; one that is not offered is asked again.
func TestWhatAnApprovalCoversIsChosenByAWord(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"c prefix\n":         `{"decision":"approve","scope":"conversation","covers":"prefix"}`,
		"a *\nALWAYS Tool\n": `{"decision":"approve","scope":"always","covers":"tool"}`,
		"c rule\nc\n":        `{"decision":"approve","scope":"conversation"}`,
		"prefix\ny\n":        `{"decision":"approve","scope":"once"}`,
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		var body string
		f.connections = []func(*eventStream){func(w *eventStream) {
			w.send(
				"a1",
				"approval.requested",
				`"approval":{"id":"a","status":"pending","tool_call":{"id":"ca","function":`+
					`{"name":"shell_execute","arguments":"{}"}},"coverages":[{"covers":"call"},{"covers":"prefix",`+
					`"pattern":"npm run *"},{"covers":"tool"}]}`,
			)
			select {
			case body = <-f.decided:
			case <-w.gone:
				return
			}
			w.end("completed", "")
		}}
		typing(i, typed)
		i.want(0, "", "every command npm run *", "run", "x")
		if body != want {
			t.Errorf("typed %q: decided %s, want %s", typed, body, want)
		}
	}
}

// TG4: e opens the arguments in the person's editor; what the server does not take
// is said, and asked again.
func TestArgumentsAreEditedInTheEditor(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.refusals = []string{"command must be a string"}
	bodies := asking(f, "HIGH")
	script := filepath.Join(i.dir, "an editor.sh")
	if err := os.WriteFile(script, []byte("grep -q 'rm -rf x' \"$2\" && echo '{\"command\":\"ls\"}' >\"$2\"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	i.vars["EDITOR"] = "sh '" + script + "' --wait"
	typing(i, "e\ne\n")
	i.want(0, "", "needs your approval", "run", "x")
	if len(*bodies) != 1 || (*bodies)[0] != `{"decision":"approve","scope":"once","arguments":{"command":"ls"}}` {
		t.Errorf("decided %q", *bodies)
	}
	if !strings.Contains(i.errors.String()+i.out.String(), "command must be a string") {
		t.Errorf("the refusal was not shown: %s", i.errors.String())
	}
}

// TG5: when somebody decides elsewhere the question goes away, and what was typed
// after all answers the next one.
func TestAQuestionEndsWhenSomebodyElseDecides(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	reader, person := io.Pipe()
	t.Cleanup(func() { person.Close() })
	i.stdin = reader
	i.terminal = func(any) (int, int, bool) { return 80, 24, true }
	var body string
	f.connections = []func(*eventStream){func(w *eventStream) {
		approvalEvent(w, "1", "a", "pending", "HIGH")
		approvalEvent(w, "2", "a", "denied", "HIGH")
		approvalEvent(w, "3", "b", "pending", "LOW")
		go io.WriteString(person, "y\n")
		select {
		case body = <-f.decided:
		case <-w.gone:
			return
		}
		w.end("completed", "")
	}}
	i.want(0, "", "", "run", "x")
	if body != `{"decision":"approve","scope":"once"}` || !strings.Contains(f.asked(), "POST /approvals/b") {
		t.Errorf("decided %q; asked\n%s", body, f.asked())
	}
}

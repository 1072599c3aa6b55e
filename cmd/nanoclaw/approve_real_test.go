package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TG4: with the whole product: what the guard asks about is asked at the terminal,
// approved by --yes, or denied where nobody can be asked.
func TestRunDecidesOnWhatTheGuardAsks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, typed, shown, answer string
		terminal                   bool
		args                       []string
	}{
		{name: "nobody to ask", shown: "denied", args: nil},
		{name: "--yes", answer: "84", args: []string{"--yes"}},
		{name: "y", typed: "y\n", shown: "calculator needs your approval", answer: "84", terminal: true},
		{name: "edit", typed: "e\n{\"expression\":\"40+2\"}\n", answer: "42", terminal: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			i := newInvocation(t)
			i.configure(quiet + "guard: {guarded_tools: [calculator]}\n")
			if tc.terminal {
				typing(i, tc.typed)
			}
			dir := t.TempDir()
			code := i.run(append([]string{"run", "--project", dir, "compute 12*(3+4) and save it to result.txt"},
				tc.args...)...)
			out := i.out.String() + i.errors.String()
			text, err := os.ReadFile(filepath.Join(dir, "result.txt"))
			want := 0
			if tc.answer == "" {
				want = 1 // the task is not done
			}
			if code != want || !strings.Contains(out, tc.shown) || strings.TrimSpace(string(text)) != tc.answer ||
				(err == nil) != (tc.answer != "") {
				t.Errorf("exit code %d, the file holds %q (%v)\n%s", code, text, err, out)
			}
		})
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// US1, US2: accounts are made, listed, disabled and given tokens on the command line, also
// without a server.
func TestAccountsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "password")
	if err := os.WriteFile(secret, []byte("four-words-in-a-row\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	user := func(args ...string) (string, string, int) {
		var out, errs strings.Builder
		p := newProgram()
		p.stdout, p.stderr, p.stdin = &out, &errs, strings.NewReader("another-good-one\n")
		p.env = func(string) (string, bool) { return "", false }
		code := p.main(t.Context(), append(append([]string{"user"}, args...), "--data", filepath.Join(dir, "data"),
			"--config", filepath.Join(dir, "none.yml")))
		return out.String(), errs.String(), code
	}
	if err := os.WriteFile(filepath.Join(dir, "none.yml"), []byte("auth_mode: multi\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"add", "Anna", "--admin", "--password-file", secret}, 0, "anna is there, with the role admin."},
		{[]string{"add", "ANNA"}, 1, "there is an account with this name"},
		{[]string{"add", "ben"}, 0, "/login#link="},
		{[]string{"add", "eve", "--viewer"}, 0, "role viewer"},
		{[]string{"list"}, 0, "no password"},
		{[]string{"disable", "anna"}, 1, "last administrator"},
		{[]string{"disable", "ben"}, 0, "ben is disabled."},
		{[]string{"list"}, 0, "disabled"},
		{[]string{"enable", "ben"}, 0, "ben is enabled."},
		{[]string{"passwd", "ben", "--password-file", "-"}, 0, "another password"},
		{[]string{"passwd", "nobody"}, 1, "there is no user nobody"},
		{[]string{"token", "anna", "--scope", "run", "--expires", "30d"}, 0, "nck_"},
		{[]string{"token", "anna"}, 2, "--scope"},
		{[]string{"token", "anna", "--scope", "run", "--expires", "never"}, 2, "--expires"},
		{[]string{"add"}, 2, "give one name"},
		{[]string{"drop", "anna"}, 2, "there is no"},
		{[]string{"add", "two words"}, 1, "without spaces"},
	} {
		out, errs, code := user(step.args...)
		if code != step.code || !strings.Contains(out+errs, step.want) {
			t.Errorf("user %q: %d\n%s%s", step.args, code, out, errs)
		}
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/store/pgtest"
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

// US1, US2, GR1: beside a running server, on either database, what the command line changes of
// accounts is in force with the next request; a lost administrator comes back with it.
func TestAccountsOnTheCommandLineBesideAServer(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return "database: { url: '" + pgtest.URL(t) + "' }\n" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInvocation(t)
			i.configure(quiet + "auth_mode: multi\n" + database(t))
			s := i.serving()
			i.want(0, "anna is there, with the role admin.", "", "user", "add", "anna", "--admin", "--password-file",
				i.secret("four-words-in-a-row"))
			s.signsIn("anna", "four-words-in-a-row", 200)
			i.want(0, "/login#link=", "", "user", "add", "ben")
			i.want(0, "no password", "", "user", "list")
			i.want(0, "ben has another password", "", "user", "passwd", "ben", "--password-file", i.secret("bens-own-secret"))
			cookie := s.signsIn("ben", "bens-own-secret", 200)
			i.want(0, "nck_", "", "user", "token", "ben", "--scope", "run")
			token := strings.TrimSpace(i.out.String())
			withToken, withCookie := []string{"Authorization", "Bearer " + token}, []string{"Cookie", cookie}
			s.answers(200, "GET", "/conversations", "", withToken...)
			s.answers(403, "GET", "/users", "", withToken...)
			s.answers(200, "GET", "/conversations", "", withCookie...)

			i.want(0, "ben is disabled.", "", "user", "disable", "ben")
			s.answers(401, "GET", "/conversations", "", withToken...)
			s.answers(401, "GET", "/conversations", "", withCookie...)
			s.signsIn("ben", "bens-own-secret", 401)
			i.want(0, "ben is enabled.", "", "user", "enable", "ben")
			s.answers(401, "GET", "/conversations", "", withCookie...)
			s.signsIn("ben", "bens-own-secret", 200)

			// The administrator has forgotten the password: a link from the machine itself.
			i.want(0, "/login#link=", "", "user", "passwd", "anna")
			_, link, _ := strings.Cut(i.out.String(), "/login#link=")
			choice := fmt.Sprintf(`{"token":%q,"password":"remembered-this-time"}`, strings.TrimSpace(link))
			s.answers(200, "POST", "/auth/link", choice)
			s.answers(410, "POST", "/auth/link", choice)
			s.signsIn("anna", "four-words-in-a-row", 401)
			admin := s.signsIn("anna", "remembered-this-time", 200)
			s.answers(200, "GET", "/users", "", "Cookie", admin)
			i.want(1, "", "last administrator", "user", "disable", "anna")
		})
	}
}

// secret is a file with a password.
func (i *invocation) secret(password string) string {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		i.t.Fatal(err)
	}
	return file
}

// signsIn tries a password and returns the cookie of the session.
func (s *serving) signsIn(name, password string, status int) string {
	s.t.Helper()
	header := s.answers(status, "POST", "/auth/login", fmt.Sprintf(`{"username":%q,"password":%q}`, name, password))
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	return cookie
}

// answers sends a request and compares the status.
func (s *serving) answers(status int, method, path, body string, headers ...string) http.Header {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		s.t.Errorf("%s %s: %d, want %d, %v\n%s", method, path, response.StatusCode, status, err, text)
	}
	return response.Header
}

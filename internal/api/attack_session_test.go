package api

import (
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// US1: session fixation. A session that somebody has put into a person's browser, made up or
// their own, is neither taken over at signing in nor raised to the person's.
func TestASessionCannotBeFixed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.user("attacker", models.AccountUser, models.ScopeRead)
	_, theirs := h.signIn("attacker", goodPassword)
	for _, brought := range []string{theirs, plainCookie + "=" + strings.Repeat("a", 43)} {
		got, cookie := h.signIn("owner", goodPassword, "Cookie", brought)
		if got.is(200); cookie == brought || !strings.HasPrefix(cookie, plainCookie+"=") {
			t.Errorf("the session %s was brought along: %s", brought, cookie)
		}
		h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie).is(200, `"name":"owner"`)
	}
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", theirs).is(200, `"name":"attacker"`)
	_, first := h.signIn("owner", goodPassword)
	if _, second := h.signIn("owner", goodPassword, "Cookie", first); second == first {
		t.Errorf("the session id %s does not change at signing in", first)
	}
}

// US1, US5: CSRF. Another site's page cannot use a session, with Origin or without.
func TestAnotherSiteCannotUseASession(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, cookie := h.signIn("owner", goodPassword)
	make := func(headers ...string) answer {
		return h.do("POST", "/api/v1/projects", m{"name": "p"}, append(headers, "Cookie", cookie)...)
	}
	make("Origin", h.web.URL).is(201)
	make("Sec-Fetch-Site", "same-origin").is(201)
	make("Origin", "https://evil.example").is(403, `"code":"cross_site"`)
	make("Origin", "null").is(403)
	make("Sec-Fetch-Site", "cross-site").is(403)
	make().is(403, `"code":"cross_site"`)
	h.do("GET", "/api/v1/projects", nil, "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
		"no-cors").is(403)
	// Nor can it sign a person in as somebody else.
	body := m{"username": "owner", "password": goodPassword}
	h.do("POST", "/api/v1/auth/login", body, "Origin", "https://evil.example").is(403, `"code":"cross_site"`)
	h.do("POST", "/api/v1/auth/login", body, "Origin", h.web.URL).is(200)
}

// US1, FS5: a password that is typed where the name belongs is not kept in the audit.
func TestANameOfNobodyIsNotAudited(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	for _, name := range []string{"my secret passphrase", "Owner"} {
		h.do("POST", "/api/v1/auth/login", m{"username": name, "password": "wrong"}, "Origin", h.web.URL).is(401)
	}
	rows, err := h.store.ListAudit(t.Context(), store.AuditQuery{Tool: "sign-in"})
	if err != nil || len(rows.Items) != 2 {
		t.Fatalf("the audit has %+v, %v", rows.Items, err)
	}
	if known := rows.Items[0].Arguments; !strings.Contains(known, `"username":"owner"`) {
		t.Errorf("the name of an account is missing: %s", known)
	}
	if strings.Contains(rows.Items[1].Arguments, "secret") {
		t.Errorf("what was typed is in the audit: %s", rows.Items[1].Arguments)
	}
}

// US2: a token in the address, where logs and histories keep it, is none.
func TestATokenInTheAddressIsNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, cookie := h.signIn("owner", goodPassword)
	_, session, _ := strings.Cut(cookie, "=")
	for _, secret := range []string{h.token, session} {
		for _, name := range []string{"token", "access_token", "api_key", "session", plainCookie} {
			h.do("GET", "/api/v1/projects?"+name+"="+secret, nil, "Authorization", "none").is(401)
		}
	}
	h.do("GET", "/api/v1/projects", nil, "Authorization", "Basic "+h.token).is(401)
	h.do("GET", "/api/v1/projects", nil, bearer(session)...).is(401)
	h.do("GET", "/api/v1/projects", nil, "Cookie", plainCookie+"="+h.token).is(401)
	h.do("GET", "/api/v1/projects", nil, "Cookie", secureCookie+strings.TrimPrefix(cookie, plainCookie)).is(401)
}

// US1: a session's cookie that crosses an open network, where others can read it or put it
// there, is nobody's.
func TestASessionCookieOnPlainHTTPFromAnotherHostIsNone(t *testing.T) {
	t.Parallel()
	var c *config.Config
	h := newHouse(t, multi, func(_ *house, own *config.Config) { own.AllowedHosts, c = []string{"chat.example"}, own })
	_, cookie := h.signIn("owner", goodPassword)
	me := func(host string) answer {
		return h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie, "Host", host)
	}
	me("localhost").is(200)
	me("chat.example").is(401, `"code":"unauthenticated"`)
	h.do("GET", "/api/v1/auth/me", nil, "Host", "chat.example").is(200) // a token is a program's own matter
	c.AllowInsecureListen = true
	me("chat.example").is(200)
}

// CF3: a server for several people does not become one for everybody by a change of its
// configuration while it runs, by whoever.
func TestTheModeCannotBeDowngradedByAReload(t *testing.T) {
	t.Parallel()
	h := newHouse(t, withFile("auth_mode: multi\n"))
	h.do("PUT", "/api/v1/config", m{"changes": m{"auth_mode": "single"}}).is(200, `"pending_restart"`, "auth_mode")
	if err := h.live.Reload(); err != nil {
		t.Fatal(err)
	}
	if mode := h.live.Current().AuthMode; mode != "multi" {
		t.Errorf("the mode in force is %s", mode)
	}
	for _, path := range []string{"/projects", "/auth/me", "/config", "/events"} {
		h.do("GET", "/api/v1"+path, nil, "Authorization", "none").is(401)
	}
	h.do("GET", "/api/v1/auth/me", nil).is(200, `"auth_mode":"multi"`)
	h.do("GET", "/api/v1/config", nil).is(200, `"pending_restart":[{"key":"auth_mode"`)
}

// US1, US2: a session, a token and a link that have expired open nothing, and are not told from
// ones that never were.
func TestWhatHasExpiredOpensNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, idle := h.signIn("owner", goodPassword)
	token := into[NewAPIToken](h.do("POST", "/api/v1/tokens", m{"name": "short", "scope": "run",
		"expires_at": time.Now().Add(30 * time.Minute).UTC()}).is(201))
	ben := into[Account](h.do("POST", "/api/v1/users", m{"name": "ben", "role": "user"}).is(201))
	link := into[AccountLinkView](h.do("POST", "/api/v1/users/"+ben.ID+"/link", nil).is(201))
	h.do("GET", "/api/v1/projects", nil, bearer(token.Text)...).is(200)
	h.pass(31 * time.Minute)
	never := h.do("GET", "/api/v1/projects", nil, bearer("nck_never")...).is(401)
	expired := h.do("GET", "/api/v1/projects", nil, bearer(token.Text)...).is(401)
	if plain(never.body) != plain(expired.body) {
		t.Errorf("an expired token is told from one that never was:\n%s\n%s", never.body, expired.body)
	}
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", idle).is(200)
	h.pass(30 * time.Minute) // auth.session_lifetime is an hour here, however busy the session is
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", idle).is(401)
	h.pass(3 * 24 * time.Hour)
	secret := strings.TrimPrefix(link.Path, "/login#link=")
	h.do("POST", "/api/v1/auth/link", m{"token": secret, "password": goodPassword}, "Authorization", "none").
		is(410, `"code":"invalid_link"`)
}

// plain is a problem without the id of its request.
func plain(body string) string {
	before, rest, _ := strings.Cut(body, `"request_id":"`)
	_, after, _ := strings.Cut(rest, `"`)
	return before + after
}

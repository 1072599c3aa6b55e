package api

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
)

// company is a real OpenID Connect provider in the test's process, with groups.
type company struct {
	*storage.Storage
	web    *httptest.Server
	groups []any
}

// SetUserinfoFromToken adds the groups, as providers of companies do.
func (p *company) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	info.AppendClaims("groups", p.groups)
	return p.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin)
}

// withCompany makes a house whose people sign in at a provider.
func withCompany(t *testing.T) (*house, *company) {
	t.Helper()
	p := &company{groups: []any{"staff"}}
	var handler http.Handler
	p.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(p.web.Close)
	h := newHouse(t, multi, func(_ *house, c *config.Config) {
		c.Auth.OIDC = map[string]config.OIDC{"company": {Title: "Company", Issuer: p.web.URL, ClientID: "nanoclaw",
			ClientSecret: "secret", Roles: map[string]string{"staff": models.AccountUser, "it": models.AccountAdmin}}}
	})
	clients := map[string]*storage.Client{"nanoclaw": storage.WebClient("nanoclaw", "secret",
		h.web.URL+"/api/v1/auth/oidc/company/callback")}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.web.URL), clients)
	handler = exampleop.SetupServer(p.web.URL, p, nil, false)
	return h, p
}

// signInAt goes through the provider's pages as a browser does, to the last answer of ours
// before the web app. Its callback's address is returned too.
func (h *house) signInAt(p *company, browser *http.Client, back string) (last *http.Response, callback string) {
	h.t.Helper()
	browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.Contains(r.URL.Path, "/callback") && strings.HasPrefix(r.URL.String(), h.web.URL) {
			callback = r.URL.String()
		}
		if strings.HasPrefix(r.URL.String(), h.web.URL) && !strings.HasPrefix(r.URL.Path, "/api/") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	page, err := browser.Get(h.web.URL + "/api/v1/auth/oidc/company?back=" + url.QueryEscape(back))
	if err != nil {
		h.t.Fatal(err)
	}
	page.Body.Close()
	if !strings.HasPrefix(page.Request.URL.String(), p.web.URL) {
		return page, ""
	}
	last, err = browser.PostForm(p.web.URL+"/login/username", url.Values{"username": {"test-user@127.0.0.1"},
		"password": {"verysecure"}, "id": {page.Request.URL.Query().Get("authRequestID")}})
	if err != nil {
		h.t.Fatal(err)
	}
	last.Body.Close()
	return last, callback
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func (h *house) cookieOf(browser *http.Client) string {
	at, err := url.Parse(h.web.URL)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, cookie := range browser.Jar.Cookies(at) {
		if cookie.Name == plainCookie {
			return cookie.Name + "=" + cookie.Value
		}
	}
	return ""
}

func leadsTo(t *testing.T, last *http.Response, want string) {
	t.Helper()
	if got := last.Header.Get("Location"); got != want {
		t.Errorf("it leads to %q (%d), want %q", got, last.StatusCode, want)
	}
}

// US3: a person signs in at a provider, has the role of their groups anew each time, signs out,
// and is refused without a group.
func TestAPersonSignsInAtAProvider(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	h.do("GET", "/api/v1/auth/providers", nil, "Authorization", "none").is(200, `"title":"Company"`)
	browser := newBrowser(t)
	last, _ := h.signInAt(p, browser, "/c/123?x=1")
	leadsTo(t, last, "/c/123?x=1")
	cookie := h.cookieOf(browser)
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie, "Authorization", "").is(200, `"role":"user"`,
		`"name":"test-user@127.0.0.1"`)
	h.do("GET", "/api/v1/users", nil).is(200, `"invited":false`)
	got, _ := h.signIn("test-user@127.0.0.1", "verysecure")
	got.is(401)

	p.groups = []any{"staff", "it"}
	again := newBrowser(t)
	h.signInAt(p, again, "/")
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", h.cookieOf(again), "Authorization", "").is(200, `"role":"admin"`)

	p.groups = []any{"visitors"}
	refused := newBrowser(t)
	last, _ = h.signInAt(p, refused, "/")
	leadsTo(t, last, "/login?problem=not_allowed")
	if cookie := h.cookieOf(refused); cookie != "" {
		t.Errorf("who is refused has the session %s", cookie)
	}
	h.do("POST", "/api/v1/auth/logout", nil, "Cookie", cookie, "Origin", h.web.URL, "Authorization", "").is(204)
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie, "Authorization", "").is(401)
}

// US3: a sign-in holds once and in its browser alone; it leads to the app and nowhere else, and
// takes nobody's account.
func TestASignInAtAProviderIsOfItsBrowserAlone(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	for _, back := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/%09/evil.example\t",
		"javascript:alert(1)"} {
		last, _ := h.signInAt(p, newBrowser(t), back)
		if got := last.Header.Get("Location"); strings.HasPrefix(got, "//") || !strings.HasPrefix(got, "/") ||
			strings.ContainsAny(got, "\\\t") {
			t.Errorf("%q leads to %q", back, got)
		}
	}
	browser := newBrowser(t)
	_, callback := h.signInAt(p, browser, "/")
	for name, who := range map[string]*http.Client{"the same browser": browser, "another browser": newBrowser(t)} {
		who.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		replayed, err := who.Get(callback)
		if err != nil {
			t.Fatal(err)
		}
		replayed.Body.Close()
		if got := replayed.Header.Get("Location"); got != "/login?problem=sign_in_expired" {
			t.Errorf("a callback that %s replays leads to %q", name, got)
		}
	}
	if _, err := h.store.UserBySubject(t.Context(), "", ""); err == nil {
		t.Error("an account without a subject is found by none")
	}
}

// US3: where the provider is away, the person is told so, and passwords still work.
func TestAProviderIsAway(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	p.web.Close()
	last, _ := h.signInAt(p, newBrowser(t), "/")
	leadsTo(t, last, "/login?problem=provider_unavailable")
	got, _ := h.signIn("owner", goodPassword)
	got.is(200)
}

// US3: an account of this server is never taken over by a name at a provider.
func TestAProviderTakesNoAccountOver(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	h.user("test-user@127.0.0.1", models.AccountAdmin, models.ScopeRead)
	last, _ := h.signInAt(p, newBrowser(t), "/")
	leadsTo(t, last, "/login?problem=name_taken")
}

// US3: a provider's clock may be a minute off, and no more; a sign-in that took too long is
// begun anew.
func TestAProvidersClockIsOff(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	h.pass(time.Hour + 30*time.Second) // the provider's tokens hold for an hour
	last, _ := h.signInAt(p, newBrowser(t), "/")
	leadsTo(t, last, "/")
	h.pass(time.Minute)
	late := newBrowser(t)
	last, _ = h.signInAt(p, late, "/")
	leadsTo(t, last, "/login?problem=provider_unavailable")
	if cookie := h.cookieOf(late); cookie != "" {
		t.Errorf("an expired token of the provider opens the session %s", cookie)
	}
	h.ahead.Store(int64(-time.Hour)) // the provider is ahead
	last, _ = h.signInAt(p, newBrowser(t), "/")
	leadsTo(t, last, "/")
}

// US3: the state of a sign-in holds for ten minutes, and at its provider alone.
func TestTheStateOfASignInHolds(t *testing.T) {
	t.Parallel()
	h, p := withCompany(t)
	browser := newBrowser(t)
	var state string
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	back := func(state string) *http.Response {
		response, err := browser.Get(h.web.URL + "/api/v1/auth/oidc/company/callback?code=made-up&state=" + state)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	begin := func() {
		page, err := browser.Get(h.web.URL + "/api/v1/auth/oidc/company")
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		at, err := page.Location()
		if err != nil || !strings.HasPrefix(at.String(), p.web.URL) {
			t.Fatalf("it leads to %v, %v", at, err)
		}
		state = at.Query().Get("state")
	}
	begin()
	leadsTo(t, back("another"), "/login?problem=sign_in_expired")
	begin()
	leadsTo(t, back(state), "/login?problem=provider_unavailable") // the code is made up
	leadsTo(t, back(state), "/login?problem=sign_in_expired")
	begin()
	h.pass(11 * time.Minute)
	leadsTo(t, back(state), "/login?problem=sign_in_expired")
}

package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/process"
)

const goodPassword = "four-words-in-a-row"

func multi(_ *house, c *config.Config) { c.AuthMode = "multi" }

// user makes an account and returns a token of it with that scope.
func (h *house) user(name, role, scope string) (id, token string) {
	h.t.Helper()
	user, err := h.accounts.Create(h.t.Context(), name, role, goodPassword)
	if err != nil {
		h.t.Fatal(err)
	}
	token, _, err = h.accounts.NewToken(h.t.Context(), user.ID, "test", scope, time.Time{})
	if err != nil {
		h.t.Fatal(err)
	}
	return user.ID, token
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// signIn returns the Cookie header of a new session.
func (h *house) signIn(name, password string, headers ...string) (answer, string) {
	h.t.Helper()
	got := h.do("POST", "/api/v1/auth/login", m{"username": name, "password": password},
		append(headers, "Authorization", "none")...)
	cookie, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	return got, cookie
}

// US1: a person signs in, sees who it is, and signs out; the cookie is for this host and
// no script's to read.
func TestAPersonSignsInAndOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.do("GET", "/api/v1/auth/me", nil, "Authorization", "none").is(401, `"code":"unauthenticated"`)
	h.do("GET", "/", nil, "Authorization", "none").is(200, "<div id=app>")
	h.do("GET", "/healthz", nil, "Authorization", "none").is(200)
	h.do("GET", "/metrics", nil, "Authorization", "none").is(401)
	got, cookie := h.signIn(" OWNER ", goodPassword)
	got.is(200, `"auth_mode":"multi"`, `"role":"admin"`, `"name":"owner"`)
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(got.header.Get("Set-Cookie"), want) {
			t.Errorf("the cookie %q lacks %s", got.header.Get("Set-Cookie"), want)
		}
	}
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie).is(200, `"name":"owner"`)
	h.do("GET", "/api/v1/auth/sessions", nil, "Cookie", cookie).is(200, `"current":true`)
	own := []string{"Cookie", cookie, "Origin", h.web.URL}
	h.do("POST", "/api/v1/auth/logout", nil, own...).is(204)
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie).is(401)
}

// US1: signing in says neither which of both is wrong nor whether the account exists, and who
// tries waits; a person from elsewhere does not.
func TestPasswordsCannotBeTried(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi, func(_ *house, c *config.Config) { c.HTTP.TrustedProxies = []string{"127.0.0.0/8"} })
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	disabled, _ := h.user("disabled", models.AccountUser, models.ScopeRead)
	h.do("PATCH", "/api/v1/users/"+disabled, m{"disabled": true}).is(200, `"disabled":true`)
	for _, name := range []string{"owner", "nobody", "disabled", "bad name \a"} {
		for range 5 {
			got, _ := h.signIn(name, "wrong-password", from("203.0.113.1")...)
			got.is(401, `"code":"wrong_credentials"`, "the user name or the password is wrong")
		}
		got, _ := h.signIn(name, "wrong-password", from("203.0.113.1")...)
		if got.is(429, `"code":"too_many_attempts"`); got.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", name)
		}
	}
	got, _ := h.signIn("owner", goodPassword, from("203.0.113.1")...)
	got.is(429)
	got, _ = h.signIn("owner", goodPassword, from("203.0.113.2")...)
	got.is(200)
}

// US1: weak, short and known passwords are refused with the field; what a password is made
// of does not matter.
func TestPasswordsAreChosenWell(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	for password, why := range map[string]string{
		"short": "at least 10 characters", "Password1234": "tried first", "aaaaaaaaaaaa": "tried first",
		"colleague-2026": "holds the user name", strings.Repeat("x", 1001): "at most", "bell\aand whistle": "typed",
	} {
		h.do("POST", "/api/v1/users", m{"name": "colleague", "role": "user", "password": password}).is(422, why,
			`"location":"body.password"`)
	}
	h.do("POST", "/api/v1/users", m{"name": "colleague", "role": "user", "password": "чай с лимоном"}).is(201)
	got, _ := h.signIn("Colleague", "чай с лимоном")
	got.is(200)
	for _, same := range []string{"COLLEAGUE", "ｃｏｌｌｅａｇｕｅ", "colleague "} {
		h.do("POST", "/api/v1/users", m{"name": same, "role": "user"}).is(409, `"code":"conflict"`)
	}
	h.do("POST", "/api/v1/users", m{"name": "Zoë", "role": "user"}).is(201, `"name":"zoë"`)
	h.do("POST", "/api/v1/users", m{"name": "zoe\u0308", "role": "user"}).is(409, `"code":"conflict"`)
	h.do("POST", "/api/v1/users", m{"name": "two words", "role": "user"}).is(422, `"location":"body.username"`)
}

// US1: a password is taken over TLS, from this machine, or where the administrator said that
// others may read it; behind TLS the cookie is for it alone.
func TestAPasswordCrossesNoOpenNetwork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi, func(_ *house, c *config.Config) {
		c.AllowedHosts, c.HTTP.TrustedProxies = []string{"chat.example"}, []string{"127.0.0.1"}
	})
	got, _ := h.signIn("owner", goodPassword, "Host", "chat.example")
	got.is(403, `"code":"needs_tls"`)
	got, cookie := h.signIn("owner", goodPassword, "Host", "chat.example", "X-Forwarded-Proto", "https")
	if set := got.is(200).header.Get("Set-Cookie"); !strings.HasPrefix(set, secureCookie) ||
		!strings.Contains(set, "Secure") {
		t.Errorf("the cookie %s", set)
	}
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie, "Host", "chat.example", "X-Forwarded-Proto", "https").is(200)
	h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie, "Host", "chat.example").is(401)
}

// US2: a token has its scope and no more, says it once, and ends at once.
func TestATokenHasItsScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	project := h.newProject()
	made := map[string]NewAPIToken{}
	for _, scope := range []string{"read", "run", "admin"} {
		made[scope] = into[NewAPIToken](
			h.do("POST", "/api/v1/tokens", m{"name": scope, "scope": scope}).is(201, `"token":"nck_`),
		)
	}
	if list := h.do("GET", "/api/v1/tokens", nil).is(200).body; strings.Contains(list, "nck_") {
		t.Errorf("a token is shown again: %s", list)
	}
	for _, c := range []struct {
		method, path string
		body         any
		read, run    int
	}{
		{"GET", "/projects/" + project.ID, nil, 200, 200},
		{"POST", "/projects/" + project.ID + "/search", m{"query": "x"}, 200, 200},
		{"POST", "/projects", m{"name": "p"}, 403, 201},
		{"GET", "/config", nil, 403, 403},
		{"GET", "/users", nil, 403, 403},
		{"GET", "/tokens", nil, 403, 403},
		{"POST", "/tokens", m{"name": "more", "scope": "admin"}, 403, 403},
		{"POST", "/auth/password", m{"current_password": goodPassword, "new_password": "another-good-one"}, 403, 403},
	} {
		for scope, want := range map[string]int{"read": c.read, "run": c.run} {
			if got := h.do(c.method, "/api/v1"+c.path, c.body, bearer(made[scope].Text)...); got.status != want {
				t.Errorf("%s %s with scope %s: %d, want %d: %s", c.method, c.path, scope, got.status, want, got.body)
			}
		}
	}
	_, _, waiting := h.asks("ask 1")
	h.do("POST", "/api/v1/approvals/"+waiting[0].ID, m{"decision": "approve"}, bearer(made["run"].Text)...).is(403,
		`"code":"not_a_person"`)
	h.do("POST", "/api/v1/approvals/"+waiting[0].ID, m{"decision": "approve"}, bearer(made["admin"].Text)...).is(200)
	h.do("DELETE", "/api/v1/tokens/"+made["run"].ID, nil).is(204)
	h.do("GET", "/api/v1/projects", nil, bearer(made["run"].Text)...).is(401)
	h.do("POST", "/api/v1/tokens", m{"name": "old", "scope": "read", "expires_at": "2020-01-01T00:00:00Z"}).is(422,
		"expires_at")
}

// US1, US4: who loses access loses it at once, in the middle of a stream too; a session is
// ended from another one, and a new password ends the others.
func TestAccessEndsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	for name, end := range map[string]func(id, cookie string){
		"role": func(id, _ string) { h.do("PATCH", "/api/v1/users/"+id, m{"role": "viewer"}).is(200) },
		"disabled": func(id, _ string) {
			h.do("PATCH", "/api/v1/users/"+id, m{"disabled": true}).is(200)
		},
		"password": func(id, _ string) {
			_, other := h.signIn("password", goodPassword)
			h.do("POST", "/api/v1/auth/password", m{"current_password": goodPassword, "new_password": "quite-another-one"},
				"Cookie", other, "Origin", h.web.URL).is(204)
			h.do("GET", "/api/v1/auth/me", nil, "Cookie", other).is(200)
		},
		"session": func(id, cookie string) {
			_, other := h.signIn("session", goodPassword)
			list := into[List[Session]](h.do("GET", "/api/v1/auth/sessions", nil, "Cookie", other).is(200))
			at := slices.IndexFunc(list.Items, func(s Session) bool { return !s.Current })
			h.do("DELETE", "/api/v1/auth/sessions/"+list.Items[at].ID, nil, "Cookie", other, "Origin", h.web.URL).is(204)
		},
	} {
		id, _ := h.user(name, models.AccountUser, models.ScopeRead)
		_, cookie := h.signIn(name, goodPassword)
		stream := h.watch("/api/v1/events", "Cookie", cookie)
		end(id, cookie)
		stream.rest() // it ends
		if name != "role" {
			h.do("GET", "/api/v1/auth/me", nil, "Cookie", cookie).is(401)
		}
	}
}

// US4: the last administrator stays one, and a disabled person's agents stop.
func TestADisabledAccountStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.do("PATCH", "/api/v1/users/"+models.LocalUserID, m{"role": "user"}).is(409, `"code":"last_admin"`)
	h.do("PATCH", "/api/v1/users/"+models.LocalUserID, m{"disabled": true}).is(409, `"code":"last_admin"`)
	h.do("DELETE", "/api/v1/users/"+models.LocalUserID, nil).is(409, `"code":"last_admin"`)
	id, token := h.user("colleague", models.AccountUser, models.ScopeRun)
	admin := h.token
	h.token = token
	_, run, _ := h.asks("ask 1")
	h.token = admin
	h.do("DELETE", "/api/v1/users/"+id, nil).is(409, "disable it")
	h.do("PATCH", "/api/v1/users/"+id, m{"disabled": true}).is(200)
	active, err := h.store.ActiveRootRuns(t.Context(), id)
	if err != nil || len(active) > 0 {
		t.Errorf("the run %s goes on: %v, %v", run.ID, active, err)
	}
	h.do("GET", "/api/v1/audit?tool=change-user", nil).is(200, `"user_id":"`+models.LocalUserID, id)
}

// US7: administrators read the accounts in pages, find them by a part of the name in any case,
// and read one; users do not.
func TestAccountsAreReadInPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	ids := map[string]string{}
	for _, name := range []string{"anna", "ben", "Zoë", "joanna"} {
		ids[name], _ = h.user(name, models.AccountUser, models.ScopeRead)
	}
	var got []string
	for cursor, pages := "", 1; ; pages++ {
		list := into[List[Account]](h.do("GET", "/api/v1/users?limit=2&cursor="+cursor, nil).is(200))
		for _, account := range list.Items {
			got = append(got, account.Name)
		}
		if list.NextCursor == nil || pages == 5 {
			break
		}
		cursor = *list.NextCursor
	}
	if want := []string{"anna", "ben", "joanna", "owner", "zoë"}; !slices.Equal(got, want) {
		t.Errorf("the pages have %q, want %q", got, want)
	}
	found := h.do("GET", "/api/v1/users?q=ANNA", nil).is(200, `"anna"`, `"joanna"`, `"next_cursor":null`)
	if strings.Contains(found.body, `"ben"`) {
		t.Errorf("a search for anna finds ben: %s", found.body)
	}
	h.do("GET", "/api/v1/users?q=ZOE%CC%88", nil).is(200, `"zoë"`)
	h.do("GET", "/api/v1/users?q=%25", nil).is(200, `"items":[]`)
	h.do("GET", "/api/v1/users?cursor=x", nil).is(422, "leave it out to begin again")
	h.do("GET", "/api/v1/users/"+ids["ben"], nil).is(200, `"name":"ben"`)
	h.do("GET", "/api/v1/users/nobody", nil).is(404)
	_, user := h.user("eve", models.AccountUser, models.ScopeAdmin)
	h.do("GET", "/api/v1/users?q=a", nil, bearer(user)...).is(403)
	h.do("GET", "/api/v1/users/"+ids["ben"], nil, bearer(user)...).is(403)
}

// US1: a link lets its person choose a password, once; the first administrator's makes the
// account that has what was made in single mode.
func TestALinkHoldsOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	account := into[Account](h.do("POST", "/api/v1/users", m{"name": "invited", "role": "user"}).is(201,
		`"invited":true`))
	link := into[AccountLinkView](h.do("POST", "/api/v1/users/"+account.ID+"/link", nil).is(201))
	secret := strings.TrimPrefix(link.Path, "/login#link=")
	use := func(secret, password string) answer {
		return h.do("POST", "/api/v1/auth/link", m{"token": secret, "password": password}, "Authorization", "none")
	}
	check := func(secret string) answer {
		return h.do("POST", "/api/v1/auth/link/check", m{"token": secret}, "Authorization", "none")
	}
	use(secret, "short").is(422)
	check(secret).is(204)
	check(secret).is(204)
	check("made-up").is(410, `"code":"invalid_link"`)
	use(secret, goodPassword).is(200, `"name":"invited"`)
	use(secret, goodPassword).is(410, `"code":"invalid_link"`)
	check(secret).is(410, `"code":"invalid_link"`)
	use("made-up", goodPassword).is(410)
	first, err := h.accounts.NewLink(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	h.do("POST", "/api/v1/auth/link", m{"token": first, "username": "intruder", "password": goodPassword},
		"Authorization", "none").is(409, "there is an administrator")
}

// TG5, US2: a process that the server started decides on nothing, whatever it brings.
func TestAToolWithASessionDecidesOnNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, cookie := h.signIn("owner", goodPassword)
	_, _, waiting := h.asks("ask 1")
	decide := func() answer {
		return h.do("POST", "/api/v1/approvals/"+waiting[0].ID, m{"decision": "approve"}, "Cookie", cookie, "Origin",
			h.web.URL)
	}
	h.caller = process.Below
	decide().is(403, `"code":"not_a_person"`)
	h.caller = process.Unknown // behind a proxy
	decide().is(200)
}

// US1: in single mode there are no accounts, and the routes say so.
func TestSingleModeHasNoAccounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("POST", "/api/v1/auth/login", m{"username": "a", "password": "b"}).is(409, `"code":"single_mode"`)
	h.do("GET", "/api/v1/users", nil).is(409, `"code":"single_mode"`)
	h.do("GET", "/api/v1/tokens", nil).is(409)
}

// walkedOperation is what the walk reads of an operation of the document.
type walkedOperation struct {
	Security    []map[string][]string `json:"security"`
	RequestBody struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Parameters []struct {
		Name, In string
		Required bool
	} `json:"parameters"`
}

type walkedDocument struct {
	Paths      map[string]map[string]walkedOperation `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

func (h *house) walkedDocument() (doc walkedDocument) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.document()), &doc); err != nil {
		h.t.Fatal(err)
	}
	return doc
}

// US5: no operation of the document reaches what is another user's, as any role, with any
// token; without access none but the public ones answers. A new route is walked without a
// new line here, unless it has a new kind of id.
func TestNothingOfAnotherUserIsReachable(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	theirs := h.fill()
	tokens := map[string]string{}
	for _, role := range []string{models.AccountUser, models.AccountViewer} {
		_, tokens[role] = h.user(role, role, models.ScopeAdmin)
	}
	_, tokens["user with scope run"] = h.user("runner", models.AccountUser, models.ScopeRun)
	_, tokens["user with scope read"] = h.user("reader", models.AccountUser, models.ScopeRead)
	doc := h.walkedDocument()
	walked := 0
	for path, operations := range doc.Paths {
		for method, op := range operations {
			url, foreign := theirs.url(t, path)
			contentType, body := exampleBody(op, doc.Components.Schemas, theirs)
			public := len(op.Security) == 1 && len(op.Security[0]) == 0
			method = strings.ToUpper(method)
			ask := func(token string) answer {
				return h.do(method, "/api/v1"+url, body, append(bearer(token), "Content-Type", contentType)...)
			}
			if got := ask("none"); !public && got.status != http.StatusUnauthorized {
				t.Errorf("%s %s without access: %d %s", method, path, got.status, got.body)
			}
			for who, token := range tokens {
				if public || strings.HasSuffix(path, "/events") && !foreign {
					continue // the stream of all conversations never ends; it is looked at elsewhere
				}
				walked++
				got := ask(token)
				if foreign && got.status != http.StatusForbidden && got.status != http.StatusNotFound {
					t.Errorf("%s %s as %s: %d %s", method, path, who, got.status, got.body)
				}
				for kind, id := range theirs {
					if path == "/audit" { // it has what was asked for here; its rows are looked at elsewhere
						break
					}
					if strings.Contains(got.body, id) && !strings.Contains(got.body, `"code":"not_found"`) {
						t.Errorf("%s %s as %s shows the %s of another user: %s", method, path, who, kind, got.body)
					}
				}
			}
		}
	}
	if walked < 200 {
		t.Errorf("only %d requests were made", walked)
	}
	h.do("GET", "/api/v1/projects/"+theirs["projects"], nil).is(200)
	h.do("GET", "/api/v1/conversations/"+theirs["conversations"], nil).is(200)
	h.do("GET", "/api/v1/approvals/"+theirs["approvals"], nil).is(200, `"status":"pending"`)
}

// IF7, US1: a hook is called by programs without an account: its secret is what counts.
func TestAHookNeedsItsSecretAndNoAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("seen"))
	hook := into[Hook](h.do("POST", "/api/v1/hooks", m{"name": "push", "auth": "token"}).is(201))
	call := func(secret string) answer { return h.do("POST", hook.URL, m{"ref": "main"}, bearer(secret)...) }
	if got := call(hook.Secret); got.status != http.StatusAccepted {
		t.Errorf("with its secret: %d %s", got.status, got.body)
	}
	for _, wrong := range []string{"none", h.token} {
		if got := call(wrong); got.status != http.StatusUnauthorized {
			t.Errorf("with another secret: %d %s", got.status, got.body)
		}
	}
}

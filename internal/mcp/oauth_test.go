package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// authority is an MCP server over HTTP and its authorization server, in one.
type authority struct {
	t   *testing.T
	url string

	mu         sync.Mutex
	issued     int
	access     string // the token that is good now
	refresh    string
	challenge  string // PKCE
	registered int
	expiresIn  int
}

const testRedirect = "http://127.0.0.1:8787/api/v1/mcp/oauth/callback"

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, expiresIn: 3600}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	a.url = server.URL
	answer := func(w http.ResponseWriter, status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(value); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": a.url + "/mcp", "authorization_servers": []string{a.url}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"issuer": a.url, "authorization_endpoint": a.url + "/authorize",
			"token_endpoint":        a.url + "/token",
			"registration_endpoint": a.url + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || fmt.Sprint(asked["redirect_uris"]) != "["+
			testRedirect+"]" {
			t.Errorf("registered %v, %v", asked, err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.registered++
		asked["client_id"] = "client-1"
		answer(w, 201, asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.challenge = r.FormValue("code_challenge")
		if r.FormValue("code_challenge_method") != "S256" || r.FormValue("redirect_uri") != testRedirect ||
			r.FormValue("resource") != a.url+"/mcp" {
			t.Errorf("asked for %s", r.URL)
		}
		http.Redirect(w, r, testRedirect+"?code=the-code&state="+url.QueryEscape(r.FormValue("state")),
			http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		switch {
		case r.FormValue("grant_type") == "authorization_code" && r.FormValue("code") == "the-code" &&
			base64.RawURLEncoding.EncodeToString(sum[:]) == a.challenge:
		case r.FormValue("grant_type") == "refresh_token" && a.refresh != "" &&
			r.FormValue("refresh_token") == a.refresh && r.FormValue("client_id") == "client-1":
		default:
			answer(w, 400, map[string]string{"error": "invalid_grant"})
			return
		}
		a.issued++
		a.access, a.refresh = fmt.Sprintf("secret-access-%d", a.issued), fmt.Sprintf("secret-refresh-%d", a.issued)
		answer(w, 200, map[string]any{"access_token": a.access, "refresh_token": a.refresh, "token_type": "Bearer",
			"expires_in": a.expiresIn})
	})
	served := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newTestServer(nil, nil) }, nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		good := a.access != "" && r.Header.Get("Authorization") == "Bearer "+a.access
		a.mu.Unlock()
		if !good {
			w.Header().Set("WWW-Authenticate",
				`Bearer resource_metadata="`+a.url+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		served.ServeHTTP(w, r)
	})
	return a
}

func (a *authority) world(file string) *world {
	a.t.Helper()
	w := newWorld(a.t)
	w.servers.TokensFile, w.servers.RedirectURL, w.servers.vault.path = file, testRedirect, file
	w.apply(map[string]config.MCPServer{"far": {URL: a.url + "/mcp", Timeout: config.Duration(time.Minute)}})
	return w
}

func (w *world) unauthorized() string {
	w.t.Helper()
	return w.await("far", "unauthorized",
		func(s tools.MCPServerStatus) bool { return s.State == tools.MCPUnauthorized }).AuthorizationURL
}

// follow does what a person's browser does with the link, up to the callback.
func (w *world) follow(link string) url.Values {
	w.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := browser.Get(link)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		w.t.Fatal(err)
	}
	return back.Query()
}

func (w *world) authorize() {
	w.t.Helper()
	back := w.follow(w.unauthorized())
	if err := w.servers.Authorized(back.Get("state"), back.Get("code"), ""); err != nil {
		w.t.Fatal(err)
	}
	if status := w.ready("far"); status.AuthorizationURL != "" {
		w.t.Errorf("status %+v", status)
	}
}

// TS7 issue 10: a person authorizes a remote server by a link; its tokens are kept for
// the server alone, are covered, and hold after a restart.
func TestARemoteServerIsAuthorizedByAPerson(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	file := filepath.Join(t.TempDir(), "tokens.json")
	w := a.world(file)
	link := w.unauthorized()
	if !strings.HasPrefix(link, a.url+"/authorize?") {
		t.Fatalf("link %s", link)
	}
	if err := w.servers.Authorized("another-state", "the-code", ""); tools.CodeOf(err) != codeNotFound {
		t.Errorf("a state that nobody waits for: %v", err)
	}
	w.authorize()
	if got := w.call(t.Context(), "mcp__far__echo", tools.Call{},
		map[string]any{"text": "hello"}); got.text() != "you said hello" {
		t.Errorf("echo answered %+v", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if secrets := w.servers.Secrets(); !slices.Equal(secrets, []string{"secret-access-1", "secret-refresh-1"}) {
		t.Errorf("secrets %q", secrets)
	}
	w.servers.Close()
	again := a.world(file)
	again.ready("far")
	if a.registered != 1 || a.issued != 1 {
		t.Errorf("after a restart: registered %d times, %d tokens", a.registered, a.issued)
	}
}

// TS7 issue 10: a token that has run out is refreshed and kept; where that is refused,
// and where a person refuses, a person is asked again.
func TestTokensAreRefreshedAndAskedForAgain(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.expiresIn = 1
	file := filepath.Join(t.TempDir(), "tokens.json")
	w := a.world(file)
	first := w.unauthorized()
	refused := w.follow(first)
	if err := w.servers.Authorized(refused.Get("state"), "", ""); err != nil {
		t.Fatal(err)
	}
	w.await("far", "asking again", func(s tools.MCPServerStatus) bool {
		return s.AuthorizationURL != "" &&
			s.AuthorizationURL != first
	})
	w.authorize()
	if got := w.call(t.Context(), "mcp__far__echo", tools.Call{},
		map[string]any{"text": "hello"}); got.text() != "you said hello" {
		t.Errorf("echo answered %+v", got)
	}
	w.servers.Close()
	a.mu.Lock()
	if a.issued < 2 {
		t.Errorf("%d tokens: none was refreshed", a.issued)
	}
	a.mu.Unlock()
	again := a.world(file)
	again.ready("far")
	again.servers.Close()
	a.mu.Lock()
	a.access, a.refresh = "", ""
	a.mu.Unlock()
	last := a.world(file)
	last.authorize()
}

// Fails closed: a file of tokens that is damaged is left as it is, and said to be.
func TestADamagedFileOfTokensIsLeftAlone(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	file := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := a.world(file)
	w.await("far", "in trouble", func(s tools.MCPServerStatus) bool {
		return strings.Contains(s.Error,
			"cannot be read")
	})
	if text, err := os.ReadFile(file); err != nil || string(text) != "{broken" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

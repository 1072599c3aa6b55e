package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/accounts"
)

// SignInProvider is where people can sign in instead of with a password.
type SignInProvider struct {
	Name  string `json:"name"`
	Title string `json:"title" doc:"For the button."`
}

// stateCookie keeps a sign-in with the browser that began it. It is Lax: the provider's page
// leads back here.
const stateCookie = "nanoclaw_sign_in"

func (s *server) registerOIDC() {
	const tag = "Account"
	handle(s, op("GET", "/auth/providers", "list-sign-in-providers", tag, "Where people can sign in", ofAccounts,
		needs(rightPublic)), s.listProviders)
	s.plain(op("GET", "/auth/oidc/{provider}", "begin-sign-in", tag, "Go to a provider to sign in", ofAccounts,
		needs(rightPublic), params(queryParam("back", "string", "The path of the app to return to.")),
		answers("302", "To the provider.", "", nil, "Location")), s.beginOIDC)
	s.plain(op("GET", "/auth/oidc/{provider}/callback", "finish-sign-in", tag, "Where a provider leads back to",
		ofAccounts, needs(rightPublic),
		answers("302", "Signed in, or to /login with ?problem=CODE.", "", nil, "Location")), s.finishOIDC)
}

func (s *server) listProviders(context.Context, *struct{}) (*listOutput[SignInProvider], error) {
	list := []SignInProvider{}
	for name, one := range s.Live.Current().Auth.OIDC {
		title := one.Title
		if title == "" {
			title = name
		}
		list = append(list, SignInProvider{Name: name, Title: title})
	}
	slices.SortFunc(list, func(a, b SignInProvider) int { return strings.Compare(a.Name, b.Name) })
	return &listOutput[SignInProvider]{wholeList(list)}, nil
}

// provider finds the provider that a path names, and the address that it leads back to.
func (s *server) provider(c echo.Context) (p accounts.Provider, callback string, err error) {
	if s.Accounts == nil {
		return p, "", newProblem(http.StatusConflict, codeSingleMode, "this server has one user")
	}
	name := c.Param("provider")
	one, known := s.Live.Current().Auth.OIDC[name]
	if !known {
		return p, "", newProblem(http.StatusNotFound, codeNotFound, "there is no sign-in provider "+quoted(name))
	}
	r := c.Request()
	if err := requestOf(r.Context()).transport; err != nil {
		return p, "", err
	}
	scheme := "http"
	if s.overTLS(r) {
		scheme = "https"
	}
	if one.GroupsClaim == "" {
		one.GroupsClaim = "groups"
	}
	if len(one.Scopes) == 0 {
		one.Scopes = []string{"profile", "email"}
	}
	return accounts.Provider{Name: name, Issuer: one.Issuer, ClientID: one.ClientID, ClientSecret: string(one.ClientSecret),
		Scopes: one.Scopes, GroupsClaim: one.GroupsClaim, Roles: one.Roles,
		DefaultRole: one.DefaultRole}, scheme + "://" + r.Host + basePath + "/auth/oidc/" + name + "/callback", nil
}

func (s *server) beginOIDC(c echo.Context) error {
	p, callback, err := s.provider(c)
	if err != nil {
		return err
	}
	address, state, err := s.Accounts.BeginSignIn(c.Request().Context(), p, callback, localPath(c.QueryParam("back")))
	if err != nil {
		return s.signInFailed(c, err)
	}
	s.setState(c, state)
	return c.Redirect(http.StatusFound, address)
}

func (s *server) finishOIDC(c echo.Context) error {
	p, callback, err := s.provider(c)
	if err != nil {
		return err
	}
	kept := ""
	if cookie, err := c.Cookie(stateCookie); err == nil {
		kept = cookie.Value
	}
	s.setState(c, "")
	ctx := c.Request().Context()
	var secret, back string
	change := fileChange{operation: "sign-in", arguments: map[string]any{"provider": p.Name,
		"address": s.from(ctx).Address}}
	err = s.audited(ctx, change, func() (err error) {
		secret, back, _, err = s.Accounts.FinishSignIn(ctx, p, callback, c.QueryParam("state"), kept,
			c.QueryParam("code"), s.from(ctx))
		return err
	})
	if err != nil {
		return s.signInFailed(c, err)
	}
	s.setSession(c.Response(), c.Request(), secret)
	return c.Redirect(http.StatusFound, localPath(back))
}

// signInFailed leads to the sign-in page, which says why.
func (s *server) signInFailed(c echo.Context, err error) error {
	var refused *accounts.Error
	if !errors.As(err, &refused) {
		return err
	}
	s.Logger.Warn("a sign-in at a provider failed", "code", refused.Code, "error", err)
	return c.Redirect(http.StatusFound, "/login?problem="+url.QueryEscape(refused.Code))
}

func (s *server) setState(c echo.Context, state string) {
	cookie := &http.Cookie{Name: stateCookie, Value: state, Path: basePath + "/auth/oidc/", HttpOnly: true,
		Secure: s.overTLS(c.Request()), SameSite: http.SameSiteLaxMode, MaxAge: 600}
	if state == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// localPath is a path of the web app, and "/" for whatever leads elsewhere.
func localPath(back string) string {
	u, err := url.Parse(back)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") ||
		strings.ContainsAny(back, "\\\r\n\t") || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, "/api/") {
		return "/"
	}
	return back
}

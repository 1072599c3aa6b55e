package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/store"
)

// right is what a request needs in auth_mode multi, beside being signed in.
type right int

const (
	rightByMethod right = iota // GET and HEAD read, everything else writes
	rightPublic                // needs nobody
	rightRead
	rightWrite
	rightOwner   // as the method says, and members of a shared project get nowhere
	rightAccount // the own account: a person, or a token of scope admin
	rightAdmin
)

// needs gives an operation a right of its own.
func needs(r right) func(*huma.Operation) {
	return func(o *huma.Operation) {
		if o.Metadata == nil {
			o.Metadata = map[string]any{}
		}
		o.Metadata["right"] = r
		if r == rightPublic {
			o.Security = []map[string][]string{{}}
		}
	}
}

// ofAccounts marks an operation that auth_mode single has not.
func ofAccounts(o *huma.Operation) {
	if o.Metadata == nil {
		o.Metadata = map[string]any{}
	}
	o.Metadata["accounts"] = true
	more := "409 single_mode: auth_mode is single."
	if o.Description != "" {
		more = o.Description + " " + more
	}
	o.Description = more
}

func (s *server) checkMode(o huma.Operation) error {
	if o.Metadata["accounts"] != nil && s.Accounts == nil {
		return newProblem(http.StatusConflict, codeSingleMode,
			"this server has one user: set auth_mode: multi in config.yml and start it again")
	}
	return nil
}

// stillAllowed ends a long answer whose access another process has ended.
func (s *server) stillAllowed(ctx context.Context) error {
	i := requestOf(ctx).identity
	if i == nil {
		return nil
	}
	still, err := s.Accounts.Still(ctx, i)
	if err == nil && !still {
		err = accounts.ErrAccessEnded
	}
	return err
}

// noteRight remembers what an operation needs, for the middleware: a route that says
// nothing needs a user.
func (s *server) noteRight(o huma.Operation, route string) {
	if r, ok := o.Metadata["right"].(right); ok {
		s.rights[o.Method+" "+route] = r
	}
}

// requireAccess refuses what the request's user may not do. It holds for every route that
// there is, of the API and beside it; what no route takes is the web app, which is public.
func (s *server) requireAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.Accounts == nil || c.Path() == "" {
			return next(c)
		}
		r := c.Request()
		need, level := resolveRight(s.rights[routeMethod(r.Method)+" "+c.Path()], r.Method)
		if need == rightPublic || r.Method == http.MethodOptions {
			return next(c)
		}
		identity := requestOf(r.Context()).identity
		if identity == nil {
			c.Response().Header().Set("WWW-Authenticate", "Bearer")
			return newProblem(http.StatusUnauthorized, codeUnauthenticated,
				"sign in, or send an API token as Authorization: Bearer; a token that was sent is wrong or has ended")
		}
		if err := mayUse(identity, need); err != nil {
			return err
		}
		if identity.Session != nil && !isSafe(r.Method) && r.Header.Get("Origin") == "" &&
			r.Header.Get("Sec-Fetch-Site") == "" {
			return newProblem(http.StatusForbidden, codeCrossSite,
				"a session is for browsers, which send Origin: a program uses an API token")
		}
		ctx, stop := s.Accounts.Watch(store.WithLevel(r.Context(), level), identity)
		defer stop()
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

// resolveRight says what a request needs, and how far it gets in what is shared with its user.
func resolveRight(need right, method string) (right, store.Level) {
	owner := need == rightOwner
	if owner || need == rightByMethod {
		need = rightWrite
		if isSafe(method) {
			need = rightRead
		}
	}
	switch {
	case owner:
		return need, store.OwnersAlone
	case need == rightRead:
		return need, store.ViewersToo
	case need == rightWrite:
		return need, store.EditorsToo
	}
	return need, store.OwnersOnly
}

func routeMethod(method string) string {
	if method == http.MethodHead {
		return http.MethodGet
	}
	return method
}

func mayUse(i *accounts.Identity, need right) error {
	switch {
	case need == rightAdmin && !i.Admin():
		return newProblem(
			http.StatusForbidden,
			codeForbidden,
			"this is for administrators; a token needs the scope admin",
		)
	case need == rightAccount && !i.MayDecide():
		return newProblem(http.StatusForbidden, codeForbidden,
			"this is for the account's person: sign in, or use a token of scope admin")
	case need == rightWrite && !i.MayWrite():
		return newProblem(http.StatusForbidden, codeForbidden,
			"this account or token may only read: ask an administrator for the role user, or use a token of scope run")
	}
	return nil
}

// identity finds out whose request it is, in auth_mode multi: nil is nobody's.
func (s *server) identity(r *http.Request) (*accounts.Identity, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			return nil, nil
		}
		return s.Accounts.ByToken(r.Context(), strings.TrimSpace(token))
	}
	if s.checkTransport(r) != nil {
		return nil, nil // others have read the cookie, or have put it there
	}
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return nil, nil
	}
	return s.Accounts.BySession(r.Context(), cookie.Value)
}

const (
	plainCookie  = "nanoclaw_session"
	secureCookie = "__Host-nanoclaw_session"
)

// cookieName is the session cookie's. Behind TLS it is one that only this host can have
// set, and only over TLS.
func (s *server) cookieName(r *http.Request) string {
	if s.overTLS(r) {
		return secureCookie
	}
	return plainCookie
}

func (s *server) overTLS(r *http.Request) bool {
	return r.TLS != nil || s.fromProxy(r) && r.Header.Get("X-Forwarded-Proto") == "https"
}

// setSession sends the session's cookie; an empty secret takes it back.
func (s *server) setSession(w http.ResponseWriter, r *http.Request, secret string) {
	cookie := &http.Cookie{Name: s.cookieName(r), Value: secret, Path: "/", HttpOnly: true, Secure: s.overTLS(r),
		SameSite: http.SameSiteStrictMode, MaxAge: int(s.Live.Current().Auth.SessionLifetime.Std().Seconds())}
	if secret == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// checkTransport refuses to take a password over a connection that others can read.
func (s *server) checkTransport(r *http.Request) error {
	if s.overTLS(r) || isLoopback(hostOnly(r.Host)) || s.Live.Current().AllowInsecureListen {
		return nil
	}
	return newProblem(http.StatusForbidden, codeNeedsTLS,
		"sign in over https: put a reverse proxy that ends TLS in front (its address in http.trusted_proxies), or "+
			"accept that passwords cross the network unencrypted with allow_insecure_listen: true")
}

// fromProxy says whether the connection comes from http.trusted_proxies.
func (s *server) fromProxy(r *http.Request) bool {
	list := s.Live.Current().HTTP.TrustedProxies
	if len(list) == 0 {
		return false
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, network := range proxyNetworks(list) {
		if network.Contains(remote.Addr().Unmap()) {
			return true
		}
	}
	return false
}

func proxyNetworks(list []string) []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range list {
		if address, err := netip.ParseAddr(text); err == nil {
			networks = append(networks, netip.PrefixFrom(address, address.BitLen()))
		} else if network, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, network)
		}
	}
	return networks
}

// clientAddress is the address that limits hold for: the connection's, or what a trusted
// proxy says.
func (s *server) clientAddress(r *http.Request) string {
	if !s.fromProxy(r) {
		return echo.ExtractIPDirect()(r)
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxyNetworks(s.Live.Current().HTTP.TrustedProxies) {
		address := network.Addr().AsSlice()
		trust = append(trust, echo.TrustIPRange(&net.IPNet{IP: address,
			Mask: net.CIDRMask(network.Bits(), len(address)*8)}))
	}
	return echo.ExtractIPFromXFFHeader(trust...)(r)
}

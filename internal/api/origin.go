package api

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// checkHost refuses requests under a name that is not ours: a web page whose name
// was made to point at this machine (DNS rebinding) must not reach the API.
func (s *server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.hostAllowed(c.Request().Host) {
			return newProblem(http.StatusForbidden, codeHostRefused,
				"this server does not answer under this host name: open it as localhost, or add the name to "+
					"allowed_hosts in config.yml")
		}
		return next(c)
	}
}

func (s *server) hostAllowed(hostport string) bool {
	host := hostOnly(hostport)
	if isLoopback(host) {
		return true
	}
	c := s.Live.Current()
	listen, _, err := net.SplitHostPort(c.Listen)
	if err == nil {
		address := net.ParseIP(listen)
		if listen == "" || address != nil && address.IsUnspecified() {
			// Every address of this machine; a rebound name is never an address.
			if net.ParseIP(host) != nil {
				return true
			}
		} else if strings.EqualFold(listen, host) {
			return true
		}
	}
	return named(c.AllowedHosts, hostport)
}

// named says whether a list of "host" or "host:port" has the host.
func named(list []string, hostport string) bool {
	host := hostOnly(hostport)
	for _, allowed := range list {
		if strings.EqualFold(allowed, hostport) || strings.EqualFold(allowed, host) {
			return true
		}
	}
	return false
}

func hostOnly(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

func isLoopback(host string) bool {
	if address := net.ParseIP(host); address != nil {
		return address.IsLoopback()
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// allowOrigins answers the pages of cors.allowed_origins as their browsers ask (CORS).
func (s *server) allowOrigins() echo.MiddlewareFunc {
	return middleware.CORSWithConfig(middleware.CORSConfig{
		Skipper:          func(c echo.Context) bool { return !s.originAllowed(c.Request().Header.Get("Origin")) },
		AllowOriginFunc:  func(origin string) (bool, error) { return s.originAllowed(origin), nil },
		AllowMethods:     []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"},
		AllowCredentials: true,
		ExposeHeaders: []string{"ETag", "Location", "Content-Disposition", "Content-Range", "Idempotent-Replayed",
			"Retry-After",
			"X-Request-Id"},
		MaxAge: 600,
	})
}

// originAllowed says whether cors.allowed_origins has an origin.
func (s *server) originAllowed(origin string) bool {
	return origin != "" && slices.ContainsFunc(s.Live.Current().CORS.AllowedOrigins, func(one string) bool {
		return strings.EqualFold(one, origin)
	})
}

// checkOrigin refuses what another site's page asks for. Programs send neither
// Origin nor Sec-Fetch-Site and pass.
func (s *server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if (!isSafe(r.Method) || s.isAPI(r.URL.Path)) && s.isForeign(r) {
			return newProblem(http.StatusForbidden, codeCrossSite,
				"a page of another site may not use this API: open the web app under this server's own address")
		}
		return next(c)
	}
}

func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

func (s *server) isForeign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		return !s.ownOrigin(origin, r.Host) && !s.originAllowed(origin)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	// A person may follow a link from elsewhere; a page may not load anything.
	return !(isSafe(r.Method) && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document")
}

// ownOrigin compares an Origin with the host under which we were asked. Other
// ports of the same machine are other sites.
func (s *server) ownOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false
	}
	if withPort(u.Host, u.Scheme) == withPort(host, u.Scheme) {
		return true
	}
	for _, allowed := range s.Live.Current().AllowedHosts {
		if strings.EqualFold(allowed, u.Host) { // a proxy asks us under another name
			return true
		}
	}
	return false
}

// withPort writes the scheme's usual port out.
func withPort(hostport, scheme string) string {
	hostport = strings.ToLower(hostport)
	if _, _, err := net.SplitHostPort(hostport); err == nil {
		return hostport
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(strings.Trim(hostport, "[]"), port)
}

package api

import (
	"testing"

	"nanoclaw/internal/config"
)

// A name that was made to point here (DNS rebinding) is refused; our own names,
// the listen address and what config.yml allows are not.
func TestOnlyOurOwnHostNamesAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) {
		c.AllowedHosts = []string{"chat.example.com", "other.example.com:9000"}
	})
	for host, status := range map[string]int{
		"localhost": 200, "localhost:8787": 200, "LOCALHOST:1": 200, "app.localhost": 200, "127.0.0.1": 200,
		"127.8.8.8:80": 200,
		"[::1]:8787":   200, "chat.example.com": 200, "Chat.Example.Com:443": 200, "other.example.com:9000": 200,
		"localhost.":   200,
		"evil.example": 403, "evil.example:8787": 403, "other.example.com": 403, "10.0.0.1": 403,
		"localhost.evil.example": 403,
		"127.0.0.1.evil.example": 403, "[2001:db8::1]:80": 403,
	} {
		for _, path := range []string{"/api/v1/models", "/healthz", "/"} {
			a := h.do("GET", path, nil, "Host", host)
			if a.status != status {
				t.Errorf("GET %s under %s: %d, want %d", path, host, a.status, status)
			}
			if status == 403 {
				a.is(403, `"code":"host_not_allowed"`)
			}
		}
	}
}

// A server for the whole network answers under any address, but under no name
// that it was not given.
func TestAnOpenServerIsAnsweredByAddress(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.Listen = "0.0.0.0:8787" })
	h.do("GET", "/healthz", nil, "Host", "192.168.1.5:8787").is(200)
	h.do("GET", "/healthz", nil, "Host", "evil.example:8787").is(403)
	named := newHouse(t, func(_ *house, c *config.Config) { c.Listen = "10.1.2.3:8787" })
	named.do("GET", "/healthz", nil, "Host", "10.1.2.3:8787").is(200)
	named.do("GET", "/healthz", nil, "Host", "10.1.2.4:8787").is(403)
}

// No page of another site can drive the API; programs and our own page can.
func TestPagesOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.AllowedHosts = []string{"chat.example.com"} })
	own := "http://localhost:8787"
	tests := []struct {
		name    string
		method  string
		headers []string
		refused bool
	}{
		{"a program", "POST", nil, false},
		{"our page", "POST", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, false},
		{"our page, without Origin", "POST", []string{"Sec-Fetch-Site", "same-origin"}, false},
		{"our page behind a proxy", "POST", []string{"Origin", "https://chat.example.com"}, false},
		{"another site", "POST", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, true},
		{"another port", "POST", []string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, true},
		{"another port, without Origin", "POST", []string{"Sec-Fetch-Site", "same-site"}, true},
		{"a page of a file", "POST", []string{"Origin", "null"}, true},
		{"nonsense", "POST", []string{"Origin", "::::"}, true},
		{"another port of an allowed name", "POST", []string{"Origin", "https://chat.example.com:8443"}, true},
		{"another scheme", "POST", []string{"Origin", "chrome-extension://abc"}, true},
		{"reading from another site", "GET", []string{"Origin", "https://evil.example"}, true},
		{"a picture on another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors",
			"Sec-Fetch-Dest", "image"}, true},
		{"a frame on another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
			"Sec-Fetch-Dest", "iframe"}, true},
		{"a link on another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
			"Sec-Fetch-Dest", "document"}, false},
		{"typed into the address bar", "GET", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, false},
		{"a preflight", "OPTIONS", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"},
			true},
		{"a form sent by a link", "DELETE", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
			"Sec-Fetch-Dest", "document"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := h.do(tt.method, "/api/v1/projects", nil, append(tt.headers, "Host", "localhost:8787")...)
			a.t = t
			if tt.refused {
				a.is(403, `"code":"cross_site"`)
				if a.header.Get("Access-Control-Allow-Origin") != "" {
					t.Error("the answer opens the door")
				}
			} else if a.status == 403 {
				t.Errorf("refused: %s", a.body)
			}
		})
	}
}

// Every answer tells browsers not to guess, not to frame, and not to run scripts
// of elsewhere.
func TestAnswersCarrySecurityHeaders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for path, script := range map[string]string{"/": "script-src 'self';", "/api/v1/models": "sandbox",
		"/api/v1/none": "sandbox", "/healthz": "script-src 'self';"} {
		header := h.do("GET", path, nil).header
		policy := header.Get("Content-Security-Policy")
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, header)
		}
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", script} {
			if !contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %q", path, policy, want)
			}
		}
		if contains(policy, "unsafe-eval") || contains(policy, "script-src 'self' 'unsafe-inline'") {
			t.Errorf("%s: the policy %q lets scripts in", path, policy)
		}
	}
}

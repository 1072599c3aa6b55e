package api

import (
	"mime"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/config"
)

// A file's name comes out of a URL as it went in, decoded exactly once.
func FuzzFilePath(f *testing.F) {
	for _, name := range []string{"a", "a/b", "%2e%2e/%2F", "a+b @&=", "你好\n", "..", "//", "/files/", "\\", "%"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var parts []string
		for part := range strings.SplitSeq(name, "/") {
			parts = append(parts, url.PathEscape(part))
		}
		r := httptest.NewRequest("GET", "/", nil)
		u, err := url.Parse("http://localhost" + basePath + "/projects/" + noID + "/files/" + strings.Join(parts, "/"))
		if err != nil {
			t.Skip("the URL's own rules refuse it")
		}
		r.URL = u
		if got, err := filePath(r); err != nil || got != name {
			t.Errorf("%q came out as %q, %v", name, got, err)
		}
	})
}

// A file's name cannot break out of the header, and a browser reads it as it is.
func FuzzDisposition(f *testing.F) {
	for _, name := range []string{"a.txt", "a\"b", "a\r\nSet-Cookie: x", "你好", "%41", "a;b", "'", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		header := disposition(name, true)
		if strings.ContainsAny(header, "\r\n\x00") {
			t.Fatalf("%q makes the header %q", name, header)
		}
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" || utf8.ValidString(name) && params["filename"] != name {
			t.Errorf("%q makes the header %q, which reads as %v, %v", name, header, params, err)
		}
	})
}

// No text in Host or Origin opens the door to a name that is not ours.
func FuzzHostAndOrigin(f *testing.F) {
	for _, text := range []string{"localhost", "localhost.evil.example", "[::1]:1", "127.0.0.1@evil.example",
		"http://localhost:8787", "null", "http://localhost:8787@evil.example", "::"} {
		f.Add(text)
	}
	s := &server{Options: Options{Live: config.Fixed(config.Default())}}
	f.Fuzz(func(t *testing.T, text string) {
		s.hostAllowed(text)
		if s.ownOrigin(text, "localhost:8787") {
			u, err := url.Parse(text)
			if err != nil || !strings.EqualFold(u.Hostname(), "localhost") || u.Port() != "8787" {
				t.Errorf("the origin %q is taken for ours", text)
			}
		}
	})
}

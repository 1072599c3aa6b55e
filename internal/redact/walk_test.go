package redact

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestValueRedactsStringsAndKeysAtEveryDepth(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	r := newTest(t, Options{Values: []string{secret, "1234567890123"}})
	value := map[string]any{
		"list": []any{"x", "a " + secret, map[string]any{secret: 1.5, secret + "!": nil}},
		"n":    1234567890123.0, "id": json.Number("1234567890123"), "ok": true,
		"typed": map[string]string{"k": secret}, "bytes": []byte(secret),
		"raw": json.RawMessage(`{"a":"` + secret + `"}`), "object": account{"me", secret},
	}
	redacted, err := json.Marshal(r.Value(value))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(redacted); strings.Contains(text, secret) || strings.Contains(text, "1234567890123") {
		t.Errorf("a secret stays: %s", text)
	}
	if n := strings.Count(string(redacted), "[REDACTED:server-secret]"); n != 8 {
		t.Errorf("%d marks: %s", n, redacted)
	}
	if _, there := value["list"].([]any)[2].(map[string]any)[secret]; !there {
		t.Error("the value itself was changed")
	}
}

func TestValueReturnsWhatHoldsNoSecretAsItIs(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{Values: []string{"correct-horse-battery"}})
	for _, value := range []any{nil, "x", 3, 2.5, true, []any{"a", 1}, map[string]any{"k": []string{"v"}},
		account{"a", "b"}, &account{}} {
		if got := r.Value(value); !reflect.DeepEqual(got, value) {
			t.Errorf("Value(%#v) = %#v", value, got)
		}
	}
}

func TestTheNameOfAFieldCountsAsInAText(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	const mark = "[REDACTED:"
	for name, value := range map[string]any{
		"password":              map[string]any{"password": "letmein"},
		"key":                   map[string]any{"apiKey": "kTaP6TrE3UJ7WXOOoZ306SV42ovHE7h5"},
		"list":                  map[string]any{"passwords": "x", "password": []any{"hunter2"}},
		"number":                map[string]any{"password": 12345678},
		"nested":                []any{map[string]any{"auth": map[string]any{"pwd": "p4ss"}}},
		"name and value":        map[string]any{"name": "DB_PASSWORD", "value": "letmein"},
		"header":                map[string]any{"Authorization": "3f2a9c1b7d5e4f6a8b9c0d1e2f3a4b5c"},
		"cookie":                map[string]any{"Cookie": "theme=dark; sessionid=38afes7a8f9a2b3c"},
		"struct":                struct{ Password string }{"letmein"},
		"text in a field":       map[string]any{"stdout": "export TOKEN=a8f5f167f44f4964e6c998dee827110c"},
		"secret in a typed map": map[string]string{"client_secret": "a8f5f167f44f4964e6c998dee827110c"},
	} {
		redacted, err := json.Marshal(r.Value(value))
		if err != nil || !strings.Contains(string(redacted), mark) {
			t.Errorf("%s: %s, %v", name, redacted, err)
		}
	}
	for _, value := range []any{
		map[string]any{"password": "", "token_type": "bearer", "max_tokens": 4096, "total_tokens": 1234567},
		map[string]any{"password": "${DB_PASSWORD}", "next_page_token": "CAUQAA4xZmU0NTY3"},
		map[string]any{"name": "PORT", "value": "8080"},
		map[string]any{"type": "object", "properties": map[string]any{"password": map[string]any{"type": "string"}}},
		map[string]any{"Cookie": "theme=dark", "Authorization": "required"},
		map[string]any{"password": "[REDACTED:password]"},
	} {
		if got := r.Value(value); !reflect.DeepEqual(got, value) {
			t.Errorf("Value(%v) = %v", value, got)
		}
	}
}

package triggers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/triggers"
)

const secret = "a secret of some length"

func mac(text string) []byte {
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(text))
	return sum.Sum(nil)
}

func github(body string) http.Header {
	return http.Header{"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac(body))}}
}

func standard(id string, at time.Time, body string) http.Header {
	moment := strconv.FormatInt(at.Unix(), 10)
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {moment},
		"Webhook-Signature": {"v1,bm9uZQ== v1," + base64.StdEncoding.EncodeToString(mac(id+"."+moment+"."+body))}}
}

// IF7: a hook takes requests whose signature is right, once for each key, and no others.
func TestAHookTakesSignedRequestsOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, time.Now())
	hook := &models.Hook{ID: store.NewID(), UserID: models.LocalUserID, Name: "hook", Auth: models.HookHMAC,
		Secret: secret, Enabled: true}
	const body = `{"issue":{"title":"It breaks"}}`
	keyed := github(body)
	keyed.Set("X-GitHub-Delivery", "one")
	for what, header := range map[string]http.Header{"github": keyed, "standard": standard("msg_1", h.now, body)} {
		first, again, err := h.Call(t.Context(), hook, []byte(body), header)
		if err != nil || again || first.RunID == "" {
			t.Fatalf("%s: %+v, %v, %v", what, first, again, err)
		}
		second, again, err := h.Call(t.Context(), hook, []byte(body), header)
		if err != nil || !again || second.RunID != first.RunID {
			t.Errorf("%s, again: %+v, %v, %v", what, second, again, err)
		}
	}
	late, early := standard("msg_2", h.now.Add(-6*time.Minute), body), standard("msg_3", h.now.Add(6*time.Minute), body)
	forged := standard("msg_4", h.now, body)
	forged.Set("Webhook-Id", "msg_5")
	for what, header := range map[string]http.Header{
		"nothing": {}, "another body": github(body + " "), "late": late, "early": early, "another id": forged,
		"no hex":    {"X-Hub-Signature-256": {"sha256=xyz"}},
		"empty":     {"X-Hub-Signature-256": {"sha256="}},
		"no method": {"X-Hub-Signature-256": {hex.EncodeToString(mac(body))}},
		"a token":   {"Authorization": {"Bearer " + secret}},
		"only v2":   {"Webhook-Id": {"a"}, "Webhook-Timestamp": {"1"}, "Webhook-Signature": {"v2,abc"}},
	} {
		var refused *triggers.Error
		if _, _, err := h.Call(t.Context(), hook, []byte(body), header); !errors.As(err, &refused) ||
			refused.Code != triggers.CodeUnsigned {
			t.Errorf("%s: %v", what, err)
		}
	}
	none := *hook
	none.Secret = ""
	if _, _, err := h.Call(t.Context(), &none, nil, github("")); err == nil {
		t.Error("a hook without a secret takes requests")
	}
	if got := h.firings(hook.ID); len(got) != 2 {
		t.Errorf("firings %v", got)
	}
}

// IF7: a paused hook starts nothing; a token is compared as a whole.
func TestAHookWithATokenAndAPausedOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t, time.Now())
	hook := &models.Hook{ID: store.NewID(), UserID: models.LocalUserID, Name: "hook", Auth: models.HookToken,
		Secret: secret, Enabled: true}
	for _, wrong := range []string{"", "Bearer ", "Bearer " + secret[1:], "Basic " + secret, "Bearer " + secret + "x"} {
		if _, _, err := h.Call(t.Context(), hook, nil, http.Header{"Authorization": {wrong}}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	right := http.Header{"Authorization": {"Bearer " + secret}}
	if _, _, err := h.Call(t.Context(), hook, []byte("text"), right); err != nil {
		t.Error(err)
	}
	hook.Enabled = false
	var refused *triggers.Error
	if _, _, err := h.Call(t.Context(), hook, nil, right); !errors.As(err, &refused) ||
		refused.Code != triggers.CodeDisabled {
		t.Errorf("paused: %v", err)
	}
}

// IF7: values stand in a message as JSON, so that they cannot end their place in it.
func TestTemplatesEscapeStrictly(t *testing.T) {
	t.Parallel()
	const body = `{"a":{"b":["x",{"c":"say \"hi\"\n{{body}} <b>&\u2028"}]},"n":12345678901234567890}`
	header := http.Header{"X-Event": {"push\r\n"}, "Authorization": {"Bearer x"}}
	for template, want := range map[string]string{
		"plain":               "plain",
		"{{body.a.b.1.c}}":    `"say \"hi\"\n{{body}} \u003cb\u003e\u0026\u2028"`,
		"{{ body.n }}":        "12345678901234567890",
		"{{body.a.b.7}}":      "null",
		"{{body.a.b.-1}}":     "null",
		"{{headers.x-event}}": `"push\r\n"`,
		"{{headers.authorization}} {{headers.none}}": "null null",
	} {
		if err := triggers.CheckTemplate(template); err != nil {
			t.Errorf("%s: %v", template, err)
		}
		if got := triggers.Fill(template, []byte(body), header); got != want {
			t.Errorf("%s: %s", template, got)
		}
	}
	if got := triggers.Fill("{{body}}", []byte("no \"JSON\""), nil); got != `"no \"JSON\""` {
		t.Errorf("text: %s", got)
	}
	deep := strings.Repeat("[", 100_000)
	if got := triggers.Fill("{{body.a}}", []byte(deep), nil); got != "null" {
		t.Errorf("deep: %.50s", got)
	}
	for _, wrong := range []string{"{{", "}}", "{{bodies}}", "{{env.X}}", "{{body.}}", "{{body | upper}}", "{{}}"} {
		if triggers.CheckTemplate(wrong) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

package triggers

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Codes of *Error.
const (
	CodeUnsigned = "bad_signature"
	CodeDisabled = "trigger_disabled"
)

// Error is a refusal with a code for programs.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message }

// ErrorCode is Code.
func (e *Error) ErrorCode() string { return e.Code }

// signatureAge is how old, or how early, a signed moment may be.
const signatureAge = 5 * time.Minute

// maxKey is the length of the key by which a sender repeats itself.
const maxKey = 255

// Call fires a hook for a request, which has to prove that its sender knows the secret.
// again: a request with the same key was there before, and its firing is returned.
func (s *Service) Call(ctx context.Context, hook *models.Hook, body []byte, header http.Header) (firing *models.Firing,
	again bool, err error) {
	if err := s.verify(hook, body, header); err != nil {
		return nil, false, err
	}
	if !hook.Enabled {
		return nil, false, &Error{CodeDisabled, "the hook is paused: nothing was started"}
	}
	key := "call:" + store.NewID()
	for _, name := range []string{"Idempotency-Key", "Webhook-Id", "X-GitHub-Delivery"} {
		if given := header.Get(name); given != "" {
			if len(given) > maxKey {
				return nil, false, &Error{"invalid_arguments", fmt.Sprintf("%s is longer than %d bytes", name, maxKey)}
			}
			key = "key:" + given
			break
		}
	}
	template := hook.Text
	if template == "" {
		template = DefaultTemplate
	}
	firing, err = s.start(ctx, hook.UserID, hook.Name, hook.Target, Fill(template, body, header),
		newFiring(hook.ID, key, s.Now()), func(*store.Tx, *models.Run) error { return nil })
	if errors.Is(err, errTaken) {
		firing, err = s.Store.FiringByKey(ctx, hook.ID, key)
		return firing, true, err
	}
	return firing, false, err
}

// verify says why a request is not from who knows the secret. It says yes to nothing that
// it does not understand.
func (s *Service) verify(hook *models.Hook, body []byte, header http.Header) error {
	if hook.Secret == "" {
		return unsigned("the hook has no secret")
	}
	if hook.Auth == models.HookToken {
		token, is := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
		if is && subtle.ConstantTimeCompare([]byte(token), []byte(hook.Secret)) == 1 {
			return nil
		}
		return unsigned("send the secret as Authorization: Bearer …")
	}
	if signed := header.Get("Webhook-Signature"); signed != "" {
		return s.verifyStandard(hook, body, header, signed)
	}
	signed, is := strings.CutPrefix(header.Get("X-Hub-Signature-256"), "sha256=")
	given, err := hex.DecodeString(signed)
	if !is || err != nil || len(given) == 0 {
		return unsigned("send X-Hub-Signature-256: sha256=<hex of the HMAC-SHA256 of the body>, or webhook-id, " +
			"webhook-timestamp and webhook-signature as Standard Webhooks do")
	}
	mac := hmac.New(sha256.New, secretKey(hook.Secret))
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		return unsigned("the signature is not that of this body and secret")
	}
	return nil
}

// verifyStandard checks a signature as Standard Webhooks
// (https://www.standardwebhooks.com, specification 1.0) has it.
func (s *Service) verifyStandard(hook *models.Hook, body []byte, header http.Header, signed string) error {
	id, moment := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(moment, 10, 64)
	if id == "" || err != nil {
		return unsigned("webhook-id or webhook-timestamp is missing")
	}
	if age := s.Now().Sub(time.Unix(seconds, 0)); age > signatureAge || age < -signatureAge {
		return unsigned("webhook-timestamp is more than five minutes away: set the sender's clock")
	}
	mac := hmac.New(sha256.New, secretKey(hook.Secret))
	mac.Write([]byte(id + "." + moment + "."))
	mac.Write(body)
	for one := range strings.FieldsSeq(signed) {
		encoded, is := strings.CutPrefix(one, "v1,")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if is && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return nil
		}
	}
	return unsigned("the signature is not that of this body and secret")
}

func unsigned(why string) error {
	return &Error{CodeUnsigned, "the request is not signed as the hook wants it: " + why}
}

// secretKey is what a secret stands for: the bytes behind "whsec_" in base64, or the
// text itself.
func secretKey(secret string) []byte {
	if encoded, is := strings.CutPrefix(secret, "whsec_"); is {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return raw
		}
	}
	return []byte(secret)
}

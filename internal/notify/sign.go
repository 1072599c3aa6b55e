package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// sign is the value of webhook-signature for a message, as Standard Webhooks
// (https://www.standardwebhooks.com, specification 1.0) has it: "v1," and the
// base64 of HMAC-SHA256 over "<id>.<seconds since 1970>.<body>".
func sign(secret, id string, timestamp int64, body []byte) string {
	mac := hmac.New(sha256.New, key(secret))
	mac.Write([]byte(id + "." + strconv.FormatInt(timestamp, 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// key is what a configured secret stands for: the bytes behind "whsec_" in base64,
// or the text itself.
func key(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return raw
		}
	}
	return []byte(secret)
}

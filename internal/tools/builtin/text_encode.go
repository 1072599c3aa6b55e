package builtin

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/tools"
)

func hashText(text, algorithm string) string {
	data := []byte(text)
	switch algorithm {
	case "md5":
		sum := md5.Sum(data)
		return hex.EncodeToString(sum[:])
	case "sha1":
		sum := sha1.Sum(data)
		return hex.EncodeToString(sum[:])
	case "sha512":
		sum := sha512.Sum512(data)
		return hex.EncodeToString(sum[:])
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func encodeBase64Text(text string) (any, error) {
	return base64.StdEncoding.EncodeToString([]byte(text)), nil
}

// decodeBase64Text takes the standard and the URL alphabet, with padding or without,
// and white space in between.
func decodeBase64Text(text string) (any, error) {
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.Fields(text), "")),
		"=")
	decoded, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil {
		return nil, tools.Errorf(tools.CodeInvalidArguments, "the text is not base64: %v", err)
	}
	if !utf8.Valid(decoded) {
		return nil, tools.Errorf(tools.CodeInvalidArguments,
			"the text is base64 of %d bytes that are no UTF-8 text, beginning with the hexadecimal %x", len(decoded),
			decoded[:min(len(decoded), 16)])
	}
	return string(decoded), nil
}

func encodeURL(text string) (any, error) {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20"), nil
}

func decodeURL(text string) (any, error) {
	decoded, err := url.QueryUnescape(text)
	if err != nil {
		return nil, tools.Errorf(tools.CodeInvalidArguments, "the text is not percent-encoded: %v", err)
	}
	return strings.ToValidUTF8(decoded, "\uFFFD"), nil
}

package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// Wrong says what is wrong with a request.
func Wrong(code, format string, args ...any) error {
	return &RequestError{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

// ReadJSON reads a body; unknown fields are ignored. What is no JSON of this shape is a
// *RequestError.
func ReadJSON(r *http.Request, into any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) {
			return &RequestError{http.StatusBadRequest, "invalid_value",
				fmt.Sprintf("the field %s must not be a %s", field.Field, field.Value), field.Field}
		}
		return Wrong("invalid_json", "the body is not valid JSON: %v", err)
	}
	return nil
}

// WriteJSON answers with a JSON body.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that has left is nobody's error
}

// ReadDataURL reads data:image/png;base64,… . Other addresses are not fetched: the
// server would do it with its own rights.
func ReadDataURL(address string) (contentType string, data []byte, err error) {
	rest, is := strings.CutPrefix(address, "data:")
	if !is {
		return "", nil, errors.New("addresses are not fetched: send the bytes as a data: URL")
	}
	head, body, found := strings.Cut(rest, ",")
	if !found {
		return "", nil, errors.New("the data: URL has no data")
	}
	head, encoded := strings.CutSuffix(head, ";base64")
	if contentType, _, err = mime.ParseMediaType(head); err != nil {
		contentType = "text/plain"
	}
	if !encoded {
		text, err := url.PathUnescape(body)
		return contentType, []byte(text), err
	}
	if data, err = base64.StdEncoding.DecodeString(body); err != nil {
		return "", nil, errors.New("the data: URL is not valid base64")
	}
	return contentType, data, nil
}

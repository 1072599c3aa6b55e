package anthropic

import (
	"io"
	"net/http"

	"nanoclaw/internal/llm/retry"
)

// maxErrorBody is how much of an error answer is read: the SDK reads them whole.
const maxErrorBody = 64 << 10

// doer is the HTTP client that the SDK is given: it watches the wait for the
// headers and every read of the body.
type doer struct{ client *http.Client }

func (d doer) Do(req *http.Request) (*http.Response, error) {
	watch := retry.WatchOf(req.Context())
	if watch == nil {
		return d.client.Do(req)
	}
	watch.Start()
	resp, err := d.client.Do(req)
	watch.Pause()
	if err != nil {
		return nil, err
	}
	body := watch.Reader(resp.Body)
	if resp.StatusCode >= http.StatusBadRequest {
		body = io.LimitReader(body, maxErrorBody)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{body, resp.Body}
	return resp, nil
}

package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"nanoclaw/internal/netsafe"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

const (
	maxRedirects = 5
	// webTimeout is for settings that say nothing.
	webTimeout  = 30 * time.Second
	webMaxBytes = 10 << 20
)

// codeHTTPStatus is the code of an answer that is an error by its status.
const codeHTTPStatus = "http_status"

// webClient makes the requests of one tool call.
type webClient struct {
	settings tools.FetchSettings
	policy   netsafe.Policy
	http     *http.Client
}

// newWebClient returns a client under the configured limits. Hosts of trusted
// URLs, which the configuration and not the model names, may be private.
func newWebClient(settings tools.FetchSettings, trusted ...string) *webClient {
	if settings.Timeout <= 0 {
		settings.Timeout = webTimeout
	}
	if settings.MaxBytes <= 0 {
		settings.MaxBytes = webMaxBytes
	}
	policy := netsafe.Policy{AllowPrivate: settings.AllowPrivate, AllowedHosts: settings.AllowedHosts,
		MaxRedirects: maxRedirects}
	for _, text := range trusted {
		if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
			policy.AllowedHosts = append(policy.AllowedHosts[:len(policy.AllowedHosts):len(policy.AllowedHosts)],
				net.JoinHostPort(u.Hostname(), portOf(u)))
		}
	}
	return &webClient{settings: settings, policy: policy, http: netsafe.NewClient(policy)}
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

// webAnswer is an answer whose body was read up to the size limit.
type webAnswer struct {
	URL         *url.URL // after redirects
	Status      int
	ContentType string // as the server says it
	MediaType   string // without parameters, lower-case; empty: not said
	Body        []byte
	Size        int64 // as the server says it; -1: not said
	Truncated   bool  // the body is longer
	Skipped     bool  // the body was not read: accept said no
}

// do makes a request and reads the answer. accept, where given, is asked whether
// a body of this media type is to be read at all. An error status is no error here.
func (c *webClient) do(ctx context.Context, req *http.Request, accept func(mediaType string) bool) (*webAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.settings.Timeout)
	defer cancel()
	req = req.WithContext(ctx)
	if c.settings.UserAgent != "" {
		req.Header.Set("User-Agent", c.settings.UserAgent)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.explain(ctx, req, err)
	}
	defer resp.Body.Close()
	answer := &webAnswer{URL: resp.Request.URL, Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"),
		Size: resp.ContentLength}
	answer.MediaType, _, _ = mime.ParseMediaType(answer.ContentType) // a broken one counts as not said
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, tools.Errorf(tools.CodeUnavailable, "%s answered in the compression %q, which was not asked for",
			req.URL.Host, shortened(encoding))
	}
	if accept != nil && !accept(answer.MediaType) {
		answer.Skipped = true
		return answer, nil
	}
	answer.Body, err = io.ReadAll(io.LimitReader(resp.Body, c.settings.MaxBytes+1))
	if int64(len(answer.Body)) > c.settings.MaxBytes {
		answer.Body, answer.Truncated = answer.Body[:c.settings.MaxBytes], true
		return answer, nil
	}
	if err != nil {
		return nil, c.explain(ctx, req, err)
	}
	return answer, nil
}

// explain turns what the HTTP client says into what helps a model.
func (c *webClient) explain(ctx context.Context, req *http.Request, err error) error {
	var blocked *netsafe.BlockedError
	if errors.As(err, &blocked) {
		return blocked
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("fetch %s: %w", req.URL.Host, context.Canceled)
	}
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &late) && late.Timeout()) {
		return tools.Errorf(tools.CodeTimeout, "%s did not answer completely within %v", req.URL.Host,
			c.settings.Timeout)
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the address, which the model knows and which may hold a key
	}
	var unknown *net.DNSError
	if errors.As(err, &unknown) && unknown.IsNotFound {
		return tools.Errorf(tools.CodeUnavailable, "there is no host named %s", unknown.Name)
	}
	return tools.Errorf(tools.CodeUnavailable, "%s cannot be reached: %v", req.URL.Host, err)
}

// statusError is the failure of an answer with an error status.
func statusError(host string, status int) error {
	text := http.StatusText(status)
	if text == "" {
		text = "an unknown status"
	}
	return tools.Errorf(codeHTTPStatus, "%s answered %d (%s)", host, status, text)
}

// webSettings finds the configuration of the network tools.
func webSettings(call tools.Call) (tools.Web, error) {
	return services.Get(call.Services, tools.WebKey)
}

// webPreflight says why none of the pages can be fetched, without touching the network.
func webPreflight(call tools.Call, addresses ...string) error {
	web, err := webSettings(call)
	if err != nil {
		return err
	}
	client := newWebClient(web.Fetch())
	for _, address := range addresses {
		if err = client.policy.CheckURL(address); err == nil {
			return nil
		}
	}
	return err
}

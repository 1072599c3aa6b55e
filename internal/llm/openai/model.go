package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	langchain "github.com/tmc/langchaingo/llms/openai"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/retry"
)

const defaultBaseURL = "https://api.openai.com/v1"

// Model is one model of an OpenAI-compatible endpoint.
type Model struct {
	cfg      config.Model
	info     llm.Info
	opts     llm.Options
	client   *langchain.LLM
	endpoint *url.URL // of chat/completions
	dialect  dialect
	broken   error // why the model cannot be called at all

	tools  atomic.Pointer[sentTools]                        // those of the last request
	quirks atomic.Uint32                                    // what the provider was found to refuse
	pause  func(ctx context.Context, d time.Duration) error // nil: retry.Pause
	grace  time.Duration                                    // for what may follow the finish_reason
}

var _ llm.Model = (*Model)(nil)

// New returns the model of a config entry. It makes no connection; an entry that
// cannot work answers each call with an error that says why.
func New(cfg config.Model, info llm.Info, opts llm.Options) llm.Model {
	return newModel(cfg, info, opts)
}

func newModel(cfg config.Model, info llm.Info, opts llm.Options) *Model {
	if info.ID == "" {
		info.ID = cfg.ID
	}
	if info.Model == "" {
		info.Model = cfg.Model
	}
	if info.Model == "" {
		info.Model = cfg.ID
	}
	m := &Model{cfg: cfg, info: info, opts: opts.WithDefaults(), grace: 2 * time.Second}
	m.endpoint, m.broken = endpoint(cfg.BaseURL)
	if m.broken != nil {
		return m
	}
	m.dialect = dialectOf(m.endpoint.Host, info)
	// The exchange sets address, model and credentials itself. These values only
	// keep langchaingo from looking into the environment, and from treating model
	// names that it believes to know in ways of its own.
	m.client, m.broken = langchain.New(
		langchain.WithToken("set-by-the-exchange"), langchain.WithModel("set-by-the-exchange"),
		langchain.WithBaseURL("http://set-by-the-exchange.invalid"), langchain.WithOrganization(""),
		langchain.WithHTTPClient(doer{m}),
	)
	return m
}

// endpoint is the address of chat completions for a base URL: one with that path
// already, one with a query (Azure), one without /v1.
func endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = defaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("base_url is not an http(s) address such as https://api.openai.com/v1")
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	if path == "" {
		path = "/v1"
	}
	u.Path, u.RawPath = path+"/chat/completions", ""
	return u, nil
}

// Info describes the model.
func (m *Model) Info() llm.Info { return m.info }

// Stream sends the request; see llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		x := &exchange{model: m, req: req, yield: yield}
		resp, err := x.run(ctx)
		switch {
		case x.left:
		case ctx.Err() != nil:
			yield(llm.Event{}, ctx.Err())
		case err != nil:
			yield(llm.Event{}, m.typed(err))
		default:
			yield(llm.Event{Kind: llm.EventDone, Response: resp}, nil)
		}
	}
}

// typed makes sure that an error is a *llm.Error, names the model and holds no secret.
func (m *Model) typed(err error) error {
	var typed *llm.Error
	if !errors.As(err, &typed) {
		typed = &llm.Error{Code: llm.CodeInvalidRequest, Message: err.Error()}
	}
	result := *typed
	result.Model = m.info.ID
	result.Message = m.cover(result.Message)
	if result.Err != nil && m.cover(result.Err.Error()) != result.Err.Error() {
		result.Err = nil
	}
	return &result
}

// cover replaces the secrets of the model's config in a text: some servers quote
// the key that they refuse.
func (m *Model) cover(text string) string {
	for _, secret := range m.secrets() {
		if len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

func (m *Model) secrets() []string {
	secrets := []string{m.cfg.APIKey.Reveal()}
	for _, value := range m.cfg.Headers {
		secrets = append(secrets, value.Reveal(), strings.TrimPrefix(value.Reveal(), "Bearer "))
	}
	if m.endpoint != nil {
		if password, ok := m.endpoint.User.Password(); ok {
			secrets = append(secrets, password)
		}
		for _, values := range m.endpoint.Query() {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}

// newRequest addresses a payload to the provider.
func (m *Model) newRequest(ctx context.Context, payload []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.endpoint.String(), bytes.NewReader(payload))
	if err != nil {
		return nil, fmt.Errorf("address the model: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("Accept-Encoding", "identity") // compression holds chunks back
	if key := m.cfg.APIKey.Reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
		if m.dialect.keyHeader != "" {
			req.Header.Set(m.dialect.keyHeader, key)
		}
	}
	for name, value := range m.cfg.Headers {
		req.Header.Set(name, value.Reveal())
	}
	return req, nil
}

func (m *Model) retrier(notify func(llm.Retry) bool) retry.Retrier {
	return retry.Retrier{Model: m.info.ID, Max: m.opts.MaxRetries, Logger: m.opts.Logger, Pause: m.pause, Notify: notify}
}

package anthropic

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/retry"
)

const defaultBaseURL = "https://api.anthropic.com"

// Model is one model of Anthropic, or of an endpoint that speaks its Messages API.
type Model struct {
	cfg      config.Model
	info     llm.Info
	opts     llm.Options
	endpoint *url.URL
	messages sdk.MessageService
	broken   error                                            // why the model cannot be called at all
	pause    func(ctx context.Context, d time.Duration) error // nil: retry.Pause

	mu    sync.Mutex
	shape shape // what the model is known to accept
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
	m := &Model{cfg: cfg, info: info, opts: opts.WithDefaults(), shape: guess(info.Model)}
	m.endpoint, m.broken = endpoint(cfg.BaseURL)
	if m.broken == nil {
		m.messages = sdk.NewMessageService(m.options()...)
	}
	return m
}

// endpoint is the address above v1/messages; a base URL may name those too.
func endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = defaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &llm.Error{
			Code:    llm.CodeInvalidRequest,
			Message: "base_url is not an http(s) address such as " + defaultBaseURL,
		}
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, "/messages")
	u.Path, u.RawPath = strings.TrimSuffix(path, "/v1"), ""
	return u, nil
}

// options are the SDK's, without anything that it would take from the environment.
func (m *Model) options() []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(m.endpoint.String()),
		option.WithHTTPClient(doer{m.opts.HTTPClient}),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
		option.WithHeader("Accept-Encoding", "identity"), // compression holds events back
	}
	if key := m.cfg.APIKey.Reveal(); key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	for name, value := range m.cfg.Headers {
		options = append(options, option.WithHeader(name, value.Reveal()))
	}
	return options
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
	secrets := []string{m.cfg.APIKey.Reveal()}
	for _, value := range m.cfg.Headers {
		secrets = append(secrets, value.Reveal(), strings.TrimPrefix(value.Reveal(), "Bearer "))
	}
	if m.endpoint != nil {
		if password, ok := m.endpoint.User.Password(); ok {
			secrets = append(secrets, password)
		}
	}
	for _, secret := range secrets {
		if len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

func (m *Model) known() shape {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shape
}

func (m *Model) retrier(notify func(llm.Retry) bool) retry.Retrier {
	return retry.Retrier{Model: m.info.ID, Max: m.opts.MaxRetries, Logger: m.opts.Logger, Pause: m.pause, Notify: notify}
}

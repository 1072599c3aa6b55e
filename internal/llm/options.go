package llm

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Defaults of Options.
const (
	DefaultIdleTimeout = 2 * time.Minute
	DefaultMaxRetries  = 3
)

// Options are how every provider calls its models. The zero value is usable:
// WithDefaults fills in what is missing.
type Options struct {
	HTTPClient *http.Client // nil: a client of our own; its Timeout must be 0, since answers stream for minutes
	// no byte of an answer for this long: the call fails; 0: DefaultIdleTimeout; negative: none
	IdleTimeout time.Duration
	MaxRetries  int          // tries after the first one, before the first byte; 0: DefaultMaxRetries; negative: none
	Logger      *slog.Logger // nil: nothing is logged
}

// NewHTTPClient returns a client for models: no limit on how long an answer takes,
// and enough idle connections to one host for many conversations at once.
func NewHTTPClient() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // somebody replaced it, and means it
		return &http.Client{Transport: http.DefaultTransport}
	}
	transport = transport.Clone()
	transport.MaxIdleConns = 256
	transport.MaxIdleConnsPerHost = 64
	return &http.Client{Transport: transport}
}

var sharedClient = sync.OnceValue(NewHTTPClient)

// WithDefaults returns a copy whose fields are all set.
func (o Options) WithDefaults() Options {
	if o.HTTPClient == nil {
		o.HTTPClient = sharedClient()
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	switch {
	case o.MaxRetries == 0:
		o.MaxRetries = DefaultMaxRetries
	case o.MaxRetries < 0:
		o.MaxRetries = 0
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

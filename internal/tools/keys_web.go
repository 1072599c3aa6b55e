package tools

import (
	"time"

	"nanoclaw/internal/services"
)

// WebKey finds what the network tools may do.
var WebKey = services.NewKey[Web]("web")

// Web is the network tools' configuration. It is asked at every call, so that a
// change applies from the next one.
type Web interface {
	Fetch() FetchSettings
	Search() []SearchProvider
	Weather() WeatherSettings
}

// FetchSettings bound every request that a tool makes to an address of the model's.
type FetchSettings struct {
	AllowPrivate bool
	AllowedHosts []string      // host or host:port
	MaxBytes     int64         // of one answer, decompressed
	Timeout      time.Duration // of one answer, redirects included
	UserAgent    string
}

// SearchProvider is one provider of web_search.
type SearchProvider struct {
	Type    string // searxng | brave | tavily | duckduckgo
	BaseURL string // empty: the provider's own
	APIKey  string
}

// WeatherSettings are where get_weather asks.
type WeatherSettings struct {
	BaseURL         string // forecasts
	GeocodingURL    string // places by name
	SimulateOffline bool   // make weather up, marked as such, where the service cannot be reached
}

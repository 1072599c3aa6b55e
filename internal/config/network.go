package config

// HTTP is the API server.
type HTTP struct {
	MaxBody        Size     `yaml:"max_body" check:"min=1KiB,max=1GiB" doc:"Greatest body of a request; a larger one is answered with 413."`
	MaxUpload      Size     `yaml:"max_upload" check:"min=1KiB,max=100GiB" doc:"Greatest upload."`
	Heartbeat      Duration `yaml:"heartbeat" check:"min=1s,max=5m" doc:"An event stream that is silent for this long gets a comment, so that proxies keep it open."`
	IdempotencyTTL Duration `yaml:"idempotency_ttl" check:"min=1m,max=720h" doc:"How long the answer to an Idempotency-Key is kept."`
}

// Fetch is the network tools' HTTP client.
type Fetch struct {
	AllowPrivate bool     `yaml:"allow_private" doc:"Allow loopback, private and link-local addresses. A model can then reach everything in your network."`
	AllowedHosts []string `yaml:"allowed_hosts" check:"required,host" doc:"Hosts, host or host:port, that are allowed although their address is private."`
	MaxBytes     Size     `yaml:"max_bytes" check:"min=1KiB,max=1GiB" doc:"Bytes that are read of one page."`
	Timeout      Duration `yaml:"timeout" check:"min=1s,max=10m" doc:"Time of one page, redirects included."`
	UserAgent    string   `yaml:"user_agent" check:"required" doc:"Sent with every request."`
}

// WebSearch lists providers; the next is tried when one fails.
type WebSearch struct {
	Providers []SearchProvider `yaml:"providers" doc:"Tried in this order until one answers."`
}

// SearchProvider is one of them.
type SearchProvider struct {
	Type    string `yaml:"type" check:"required,oneof=searxng|brave|tavily|duckduckgo" doc:"Kind of provider. duckduckgo needs no key."`
	BaseURL string `yaml:"base_url" check:"url" doc:"Address of the instance; searxng needs it, the others have one."`
	APIKey  Secret `yaml:"api_key" doc:"Key; brave and tavily need one."`
}

// Weather is get_weather.
type Weather struct {
	BaseURL         string `yaml:"base_url" check:"required,url" doc:"Forecasts (Open-Meteo)."`
	GeocodingURL    string `yaml:"geocoding_url" check:"required,url" doc:"Places by name (Open-Meteo)."`
	SimulateOffline bool   `yaml:"simulate_offline" doc:"Answer with made-up weather, marked as simulated, when the service cannot be reached. Off: an error."`
}

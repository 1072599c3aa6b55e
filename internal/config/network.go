package config

// HTTP is the API server.
type HTTP struct {
	MaxBody        Size     `yaml:"max_body" check:"min=1KiB,max=1GiB" doc:"Greatest body of a request; a larger one is answered with 413."`
	MaxUpload      Size     `yaml:"max_upload" check:"min=1KiB,max=100GiB" doc:"Greatest upload."`
	HeaderTimeout  Duration `yaml:"header_timeout" check:"min=1s,max=10m" reload:"restart" doc:"Time in which the head of a request has to arrive."`
	BodyTimeout    Duration `yaml:"body_timeout" check:"min=1s,max=1h" doc:"Time in which the next 16 KiB of a request's body, or its end, have to arrive; else the answer is 408. A large upload on a slow line may take as long as it needs."`
	MaxStreams     int      `yaml:"max_streams_per_client" check:"min=0,max=1000000" doc:"Event streams that one client, told by its address, may have open; another one is answered with 429. 0: no limit."`
	Heartbeat      Duration `yaml:"heartbeat" check:"min=1s,max=5m" doc:"An event stream that is silent for this long gets a comment, so that proxies keep it open."`
	IdempotencyTTL Duration `yaml:"idempotency_ttl" check:"min=1m,max=720h" doc:"How long the answer to an Idempotency-Key is kept."`
}

// CORS says which other sites' pages may use the API.
type CORS struct {
	AllowedOrigins []string `yaml:"allowed_origins" check:"required,origin" doc:"Origins, such as https://app.example.com, whose pages may read and change everything that the person in front of them may. Empty: none."`
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

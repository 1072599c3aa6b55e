package config

// HTTP is the API server.
type HTTP struct {
	MaxBody        Size     `yaml:"max_body" check:"min=1KiB,max=1GiB" doc:"Greatest body of a request; a larger one is answered with 413."`
	MaxUpload      Size     `yaml:"max_upload" check:"min=1KiB,max=100GiB" doc:"Greatest upload."`
	HeaderTimeout  Duration `yaml:"header_timeout" check:"min=1s,max=10m" reload:"restart" doc:"Time in which the head of a request has to arrive."`
	BodyTimeout    Duration `yaml:"body_timeout" check:"min=1s,max=1h" doc:"Time in which the next 16 KiB of a request's body, or its end, have to arrive; else the answer is 408. A large upload on a slow line may take as long as it needs."`
	MaxStreams     int      `yaml:"max_streams_per_client" check:"min=0,max=1000000" doc:"Event streams that one client, told by its address, may have open; another one is answered with 429. 0: no limit."`
	TrustedProxies []string `yaml:"trusted_proxies" check:"required,network" doc:"Addresses or networks (10.0.0.0/8) of reverse proxies, whose X-Forwarded-For and X-Forwarded-Proto count. Loopback addresses are not trusted by themselves."`
	Heartbeat      Duration `yaml:"heartbeat" check:"min=1s,max=5m" doc:"An event stream that is silent for this long gets a comment, so that proxies keep it open."`
	IdempotencyTTL Duration `yaml:"idempotency_ttl" check:"min=1m,max=720h" doc:"How long the answer to an Idempotency-Key is kept."`
}

// Attachments is how attached files become text for a model.
type Attachments struct {
	Inline      Size     `yaml:"inline" check:"min=1KiB,max=16MiB" doc:"Text of one attachment in the prompt, where the conversation has no project or no tools; the middle of a longer one is left out."`
	Preview     Size     `yaml:"preview" check:"min=256B,max=1MiB" doc:"Text of one attachment in the prompt, where the conversation has a project: a longer text becomes a file below attachments/."`
	Whole       Size     `yaml:"whole" check:"min=1KiB,max=64MiB" doc:"Longest text that becomes such a file. Of a longer one, inline is told."`
	ReadTimeout Duration `yaml:"read_timeout" check:"min=1s,max=5m" reload:"restart" doc:"Time in which the text of a PDF or an office document has to be read."`
}

// Auth is about signing in.
type Auth struct {
	SessionLifetime Duration `yaml:"session_lifetime" check:"min=1m,max=8760h" doc:"How long a browser stays signed in, at most."`
	SessionIdle     Duration `yaml:"session_idle" check:"min=1m,max=8760h" doc:"How long a browser stays signed in without a request."`

	OIDC map[string]OIDC `yaml:"oidc" check:"keys=name" doc:"OpenID Connect providers where people can sign in, by a name of your choice. The provider leads back to https://HOST/api/v1/auth/oidc/NAME/callback."`
}

// OIDC is an OpenID Connect provider.
type OIDC struct {
	Title        string            `yaml:"title" doc:"On the button of the sign-in page. Empty: the provider's name here."`
	Issuer       string            `yaml:"issuer" check:"required,url" doc:"Address below which /.well-known/openid-configuration is."`
	ClientID     string            `yaml:"client_id" check:"required" doc:"Id of this server at the provider."`
	ClientSecret Secret            `yaml:"client_secret" doc:"Secret of this server at the provider."`
	Scopes       []string          `yaml:"scopes" check:"required" doc:"Asked for beside openid, such as groups. Empty: profile and email."`
	GroupsClaim  string            `yaml:"groups_claim" doc:"Claim that holds a person's groups. Empty: groups."`
	Roles        map[string]string `yaml:"roles" doc:"Role (admin, user or viewer) of the members of each group. The strongest holds, anew at each sign-in."`
	DefaultRole  string            `yaml:"default_role" check:"oneof=|user|viewer" doc:"Role of people in none of these groups. Empty: they may not sign in."`
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

// Browser is the browser of browser_use.
type Browser struct {
	Enabled       bool     `yaml:"enabled" doc:"Offer the tool, where Chromium and bubblewrap are installed."`
	Program       string   `yaml:"program" doc:"Path of Chromium or Chrome; a change applies from the next start of it. Empty: what PATH has."`
	Timeout       Duration `yaml:"timeout" check:"min=1s,max=5m" doc:"Time in which a page has to load. What is there by then is shown."`
	IdleTimeout   Duration `yaml:"idle_timeout" check:"min=1s,max=24h" doc:"The pages and logins of a conversation that does not use them are closed after this; without any, Chromium ends."`
	Conversations int      `yaml:"max_conversations" check:"min=1,max=1000" doc:"Conversations with open pages at the same time."`
	Tabs          int      `yaml:"max_tabs" check:"min=1,max=100" doc:"Open tabs of one conversation."`
	Memory        Size     `yaml:"memory" check:"min=256MiB,max=1TiB" doc:"Memory of Chromium as a whole, where control groups can be used, else of each of its processes."`
	PageMemory    Size     `yaml:"page_memory" check:"min=32MiB,max=64GiB" doc:"Memory of the scripts of one page; a page that takes more crashes."`
	SnapshotLimit Size     `yaml:"snapshot_limit" check:"min=1KiB,max=1MiB" doc:"Size of the text that tells a model what a page shows."`
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

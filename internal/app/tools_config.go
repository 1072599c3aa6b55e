package app

import (
	"maps"
	"slices"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// toolWeb is the network tools' view of the configuration, read at every call.
type toolWeb struct{ live *config.Live }

var _ tools.Web = toolWeb{}

func (w toolWeb) Fetch() tools.FetchSettings {
	c := w.live.Current().Fetch
	return tools.FetchSettings{
		AllowPrivate: c.AllowPrivate, AllowedHosts: c.AllowedHosts,
		MaxBytes: c.MaxBytes.Bytes(), Timeout: c.Timeout.Std(), UserAgent: c.UserAgent,
	}
}

func (w toolWeb) Search() []tools.SearchProvider {
	var providers []tools.SearchProvider
	for _, p := range w.live.Current().WebSearch.Providers {
		providers = append(providers, tools.SearchProvider{Type: p.Type, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal()})
	}
	return providers
}

func (w toolWeb) Weather() tools.WeatherSettings {
	c := w.live.Current().Weather
	return tools.WeatherSettings{BaseURL: c.BaseURL, GeocodingURL: c.GeocodingURL, SimulateOffline: c.SimulateOffline}
}

// toolDatabases are the databases of the configuration.
type toolDatabases struct{ live *config.Live }

var _ tools.Databases = toolDatabases{}

func (d toolDatabases) Database(name string) (string, bool) {
	named, known := d.live.Current().Databases[name]
	return named.URL.Reveal(), known
}

func (d toolDatabases) DatabaseNames() []string {
	return slices.Sorted(maps.Keys(d.live.Current().Databases))
}

package app

import (
	"path/filepath"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// toolServices are the services on a store of their own.
func toolServices(t *testing.T, c *config.Config) (tools.Call, *App) {
	t.Helper()
	opened, err := store.Open(t.Context(), store.Options{SQLiteFile: filepath.Join(t.TempDir(), "test.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := opened.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &App{Live: config.Fixed(c), Store: opened}
	call := tools.Call{UserID: models.LocalUserID, Services: &services.Locator{}}
	registerToolServices(a, call.Services)
	return call, a
}

// BT8: the zone is stored with the user and used by get_current_time.
func TestTheUsersTimeZoneIsStored(t *testing.T) {
	t.Parallel()
	call, a := toolServices(t, config.Default())
	run := func(tool string, args map[string]any) tools.Result {
		return tools.Default().Execute(t.Context(), tool, call, args)
	}
	if result := run("set_user_timezone", map[string]any{"timezone": "Asia/Tokyo"}); !result.Success {
		t.Fatal(result)
	}
	user, err := a.Store.GetUser(t.Context(), models.LocalUserID)
	if err != nil || user.Timezone != "Asia/Tokyo" {
		t.Errorf("%+v, %v", user, err)
	}
	zone, err := toolUsers{a.Store}.Timezone(t.Context(), models.LocalUserID)
	if err != nil || zone != "Asia/Tokyo" {
		t.Errorf("%q, %v", zone, err)
	}
	call.UserID = "nobody"
	if result := run("set_user_timezone", map[string]any{"timezone": "Asia/Tokyo"}); result.Success ||
		result.Code != "not_found" {
		t.Errorf("a user who is not there: %+v", result)
	}
}

// BT8
func TestTokenUsageIsCountedByTheStore(t *testing.T) {
	t.Parallel()
	call, _ := toolServices(t, config.Default())
	if result := tools.Default().Execute(t.Context(), "get_token_usage", call, nil); !result.Success {
		t.Error(result)
	}
	call.UserID = ""
	if result := tools.Default().Execute(t.Context(), "get_token_usage", call, nil); result.Success {
		t.Error("usage of nobody is usage of everybody")
	}
}

// BT1, BT2, BT7, BT11: the settings are those of the configuration in force.
func TestToolsSeeTheConfigurationInForce(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Fetch.AllowedHosts = []string{"intranet:8080"}
	c.WebSearch.Providers = []config.SearchProvider{{Type: "brave", BaseURL: "https://x.example", APIKey: "key"}}
	c.Databases = map[string]config.NamedDB{"b": {URL: "sqlite:///b"}, "a": {URL: "sqlite:///a"}}
	call, a := toolServices(t, c)
	web, err := services.Get(call.Services, tools.WebKey)
	if err != nil {
		t.Fatal(err)
	}
	fetch := web.Fetch()
	if fetch.AllowedHosts[0] != "intranet:8080" || fetch.MaxBytes != 10<<20 || fetch.Timeout != 30*time.Second ||
		fetch.UserAgent == "" {
		t.Errorf("%+v", fetch)
	}
	if search := web.Search(); len(search) != 1 || search[0] != (tools.SearchProvider{Type: "brave",
		BaseURL: "https://x.example", APIKey: "key"}) {
		t.Errorf("%+v", search)
	}
	if weather := web.Weather(); !weather.SimulateOffline || weather.BaseURL == "" || weather.GeocodingURL == "" {
		t.Errorf("%+v", weather)
	}
	databases, err := services.Get(call.Services, tools.DatabasesKey)
	if err != nil {
		t.Fatal(err)
	}
	if address, known := databases.Database("a"); !known || address != "sqlite:///a" ||
		databases.DatabaseNames()[0] != "a" {
		t.Errorf("%q, %v, %v", address, known, databases.DatabaseNames())
	}
	next := *c
	next.Fetch.AllowPrivate = true
	a.Live.Replace(&next)
	if !web.Fetch().AllowPrivate {
		t.Error("a change of the configuration is not seen")
	}
}

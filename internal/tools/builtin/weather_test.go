package builtin

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// What the two services answered, shortened to one place each.
const (
	geocodedBerlin   = `{"results":[{"id":2950159,"name":"Berlin","latitude":52.52437,"longitude":13.41053,"elevation":74.0,"feature_code":"PPLC","country_code":"DE","admin1_id":2950157,"timezone":"Europe/Berlin","population":3426354,"country_id":2921044,"country":"Germany","admin1":"Land Berlin"},{"id":5083330,"name":"Berlin","latitude":44.46867,"longitude":-71.18508,"country_code":"US","country":"United States","admin1":"New Hampshire","timezone":"America/New_York"}],"generationtime_ms":0.66}`
	geocodedShanghai = `{"results":[{"id":1796236,"name":"上海","latitude":31.22222,"longitude":121.45806,"feature_code":"PPLA","country_code":"CN","timezone":"Asia/Shanghai","country":"中国","admin1":"上海"}],"generationtime_ms":0.4}`
	geocodedNothing  = `{"generationtime_ms":0.31}`
	forecasted       = `{"latitude":52.52,"longitude":13.419998,"generationtime_ms":0.1,"utc_offset_seconds":7200,"timezone":"Europe/Berlin","timezone_abbreviation":"CEST","elevation":38.0,
"current_units":{"time":"iso8601","interval":"seconds","temperature_2m":"°C"},"current":{"time":"2024-05-01T12:15","interval":900,"temperature_2m":21.4,"relative_humidity_2m":41,"apparent_temperature":20.1,"precipitation":0.00,"weather_code":2,"wind_speed_10m":11.2,"wind_direction_10m":97},
"daily_units":{"time":"iso8601"},"daily":{"time":["2024-05-01","2024-05-02","2024-05-03"],"weather_code":[2,61,null],"temperature_2m_max":[24.1,25.3,22.0],"temperature_2m_min":[11.0,13.2,12.1],"precipitation_sum":[0.00,1.20,0.00],"precipitation_probability_max":[3,60,null]}}`
)

// meteo is both services at once.
func meteo(t *testing.T, status int, forecast string) *fakeWeb {
	t.Helper()
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.URL.Path == "/v1/search" && query.Get("name") == "Berlin" && query.Get("language") == "en":
			_, _ = w.Write([]byte(geocodedBerlin))
		case r.URL.Path == "/v1/search" && query.Get("name") == "上海" && query.Get("language") == "zh":
			_, _ = w.Write([]byte(geocodedShanghai))
		case r.URL.Path == "/v1/search":
			_, _ = w.Write([]byte(geocodedNothing))
		case r.URL.Path == "/v1/forecast":
			w.Header().Set("X-Asked", query.Get("latitude"))
			w.WriteHeader(status)
			_, _ = w.Write([]byte(strings.Replace(forecast, "LAT", query.Get("latitude"), 1)))
		}
	})
	return &fakeWeb{weather: tools.WeatherSettings{BaseURL: site.URL, GeocodingURL: site.URL}}
}

// BT7
func TestTheWeatherIsWhatTheServiceSays(t *testing.T) {
	t.Parallel()
	web := meteo(t, 200, forecasted)
	for city, want := range map[string][]any{
		"Berlin":            {"Berlin", "Germany", "Land Berlin", "partly cloudy"},
		" Berlin, Germany ": {"Berlin", "Germany", "Land Berlin", "partly cloudy"},
		"Berlin, US":        {"Berlin", "United States", "New Hampshire", "partly cloudy"},
		"上海":                {"上海", "中国", "上海", "多云"},
		"上海市":               {"上海", "中国", "上海", "多云"},
		"上海，中国":             {"上海", "中国", "上海", "多云"},
	} {
		data, failure := execute(t, webCall(web), "get_weather", map[string]any{"city": city})
		if got := []any{data["city"], data["country"], data["region"], data["condition"]}; failure != "" ||
			fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s %v", city, failure, got)
		}
		if data["temperature"] != 21.4 || data["time"] != "2024-05-01T12:15" || data["simulated"] != false ||
			data["humidity"] != 41.0 {
			t.Errorf("%s: %v", city, data)
		}
		days := data["forecast"].([]any)
		second := days[1].(map[string]any)
		if len(days) != 3 || second["date"] != "2024-05-02" || second["temperature_max"] != 25.3 ||
			second["precipitation_probability"] != 60.0 {
			t.Errorf("%s: %v", city, days)
		}
	}
}

// BT7: made-up weather is marked, the same all day, and can be switched off.
func TestWeatherIsSimulatedWhereTheServiceCannotBeReached(t *testing.T) {
	t.Parallel()
	off := serve(t, func(http.ResponseWriter, *http.Request) {})
	off.Close()
	closed := tools.WeatherSettings{BaseURL: off.URL, GeocodingURL: off.URL}
	for name, web := range map[string]*fakeWeb{
		"closed":    {weather: closed},
		"busy":      meteo(t, 429, `{"error":true,"reason":"Minutely API request limit exceeded."}`),
		"broken":    meteo(t, 200, `<html>`),
		"other":     meteo(t, 200, `{}`),
		"no server": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, failure := execute(t, webCall(web), "get_weather",
				map[string]any{"city": "Berlin"}); !strings.HasPrefix(failure,
				"unavailable: the weather service does not answer") {
				t.Errorf("not simulated: %s", failure)
			}
			web.weather.SimulateOffline = true
			data, failure := execute(t, webCall(web), "get_weather", map[string]any{"city": "Berlin"})
			if failure != "" || data["simulated"] != true || data["city"] != "Berlin" ||
				len(data["forecast"].([]any)) != 3 || !strings.Contains(fmt.Sprint(data["note"]), "made up") {
				t.Errorf("%s %v", failure, data)
			}
		})
	}
	if made, measured := simulateWeather("Berlin", time.Now(), nil), (weatherResult{}); !made.NotCacheable() ||
		measured.NotCacheable() {
		t.Error("made-up weather would be cached, or measured weather would not")
	}
	day := time.Date(2024, 5, 1, 3, 0, 0, 0, time.UTC)
	one, two := simulateWeather("上海", day, nil), simulateWeather("上海", day, nil)
	if fmt.Sprint(one) != fmt.Sprint(two) || !inChinese(one.Condition) || one.Forecast[2].Date != "2024-05-03" {
		t.Errorf("%+v\n%+v", one, two)
	}
}

// BT7
func TestAnUnknownCityIsNotSimulated(t *testing.T) {
	t.Parallel()
	web := meteo(t, 200, forecasted)
	web.weather.SimulateOffline = true
	if data, failure := execute(t, webCall(web), "get_weather",
		map[string]any{"city": "Xyzzy"}); !strings.HasPrefix(failure, `not_found: no city named "Xyzzy"`) {
		t.Errorf("%s %v", failure, data)
	}
	if _, failure := execute(t, webCall(web), "get_weather", map[string]any{"city": "  "}); !strings.HasPrefix(failure,
		"invalid_arguments") {
		t.Error(failure)
	}
}

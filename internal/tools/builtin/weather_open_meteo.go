package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"nanoclaw/internal/tools"
)

// openMeteo asks the two services of open-meteo.com: places by name, and
// forecasts. https://open-meteo.com/en/docs, https://open-meteo.com/en/docs/geocoding-api
type openMeteo struct {
	client   *webClient
	settings tools.WeatherSettings
	chinese  bool // the names and the conditions
}

// place is an item of the geocoding service's answer.
type place struct {
	Name        string
	Latitude    float64
	Longitude   float64
	Country     string
	CountryCode string `json:"country_code"`
	Admin1      string
	Timezone    string
}

func askOpenMeteo(ctx context.Context, fetch tools.FetchSettings, settings tools.WeatherSettings,
	city string) (weatherResult, error) {
	if fetch.Timeout <= 0 || fetch.Timeout > weatherTimeout {
		fetch.Timeout = weatherTimeout
	}
	fetch.MaxBytes = weatherBody
	service := openMeteo{
		client:   newWebClient(fetch, settings.BaseURL, settings.GeocodingURL),
		settings: settings, chinese: inChinese(city),
	}
	found, err := service.find(ctx, city)
	if err != nil {
		return weatherResult{}, err
	}
	return service.forecast(ctx, found)
}

// find looks a place up: by the whole name, then by the part before a comma, in
// which case the part behind it chooses among the places of that name.
func (o openMeteo) find(ctx context.Context, city string) (place, error) {
	name, hint, _ := strings.Cut(strings.ReplaceAll(city, "，", ","), ",")
	names := []string{strings.TrimSpace(name)}
	if short, ok := strings.CutSuffix(names[0], "市"); ok && short != "" {
		names = append(names, short)
	}
	for _, name := range names {
		places, err := o.search(ctx, name)
		if err != nil {
			return place{}, err
		}
		if len(places) > 0 {
			return choose(places, strings.TrimSpace(hint)), nil
		}
	}
	return place{}, errNoPlace
}

// choose is the place that the hint names by its region or country, else the first.
func choose(places []place, hint string) place {
	for _, p := range places {
		for _, part := range []string{p.Admin1, p.Country, p.CountryCode} {
			if hint != "" && strings.EqualFold(part, hint) {
				return p
			}
		}
	}
	return places[0]
}

func (o openMeteo) search(ctx context.Context, name string) ([]place, error) {
	language := "en"
	if o.chinese {
		language = "zh"
	}
	var answer struct{ Results []place }
	err := o.get(ctx, o.settings.GeocodingURL, "/v1/search", url.Values{
		"name": {name}, "count": {"10"}, "language": {language}, "format": {"json"},
	}, &answer)
	return answer.Results, err
}

func (o openMeteo) forecast(ctx context.Context, at place) (weatherResult, error) {
	var answer struct {
		Timezone string
		Current  *struct {
			Time          string
			Temperature   float64 `json:"temperature_2m"`
			FeelsLike     float64 `json:"apparent_temperature"`
			Humidity      float64 `json:"relative_humidity_2m"`
			Precipitation float64
			Code          int     `json:"weather_code"`
			WindSpeed     float64 `json:"wind_speed_10m"`
			WindDirection float64 `json:"wind_direction_10m"`
		}
		Daily openMeteoDays
	}
	err := o.get(ctx, o.settings.BaseURL, "/v1/forecast", url.Values{
		"latitude":      {strconv.FormatFloat(at.Latitude, 'f', -1, 64)},
		"longitude":     {strconv.FormatFloat(at.Longitude, 'f', -1, 64)},
		"current":       {"temperature_2m,relative_humidity_2m,apparent_temperature,precipitation,weather_code,wind_speed_10m,wind_direction_10m"},
		"daily":         {"weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max"},
		"timezone":      {"auto"},
		"forecast_days": {strconv.Itoa(forecastDays)},
	}, &answer)
	if err != nil {
		return weatherResult{}, err
	}
	if answer.Current == nil {
		return weatherResult{}, fmt.Errorf("its answer is not understood")
	}
	now := answer.Current
	return weatherResult{
		City: at.Name, Region: at.Admin1, Country: at.Country, Latitude: at.Latitude, Longitude: at.Longitude,
		Timezone: firstOf(answer.Timezone, at.Timezone), Time: now.Time, Condition: conditionOf(now.Code, o.chinese),
		Temperature: now.Temperature, FeelsLike: now.FeelsLike, Humidity: now.Humidity,
		Precipitation: now.Precipitation, WindSpeed: now.WindSpeed, WindDirection: now.WindDirection,
		Forecast: answer.Daily.list(o.chinese), Units: metric, Source: "open-meteo.com",
	}, nil
}

// openMeteoDays has a list for each figure; a figure that is missing is null.
type openMeteoDays struct {
	Time          []string
	Code          []*float64 `json:"weather_code"`
	Max           []*float64 `json:"temperature_2m_max"`
	Min           []*float64 `json:"temperature_2m_min"`
	Precipitation []*float64 `json:"precipitation_sum"`
	Probability   []*float64 `json:"precipitation_probability_max"`
}

func (d openMeteoDays) list(chinese bool) []weatherDay {
	days := []weatherDay{}
	for i, date := range d.Time[:min(len(d.Time), forecastDays)] {
		days = append(days, weatherDay{
			Date: date, Condition: conditionOf(int(figure(d.Code, i)), chinese),
			TemperatureMin: figure(d.Min, i), TemperatureMax: figure(d.Max, i),
			PrecipitationProbability: figure(d.Probability, i), Precipitation: figure(d.Precipitation, i),
		})
	}
	return days
}

func figure(figures []*float64, i int) float64 {
	if i >= len(figures) || figures[i] == nil {
		return 0
	}
	return *figures[i]
}

func (o openMeteo) get(ctx context.Context, base, path string, query url.Values, into any) error {
	address, err := endpoint(base, path)
	if err != nil {
		return err
	}
	address.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	answer, err := o.client.do(ctx, req, nil)
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK {
		var failure struct{ Reason string }
		_ = json.Unmarshal(answer.Body, &failure) // a body of another form has no reason to tell
		return searchStatus(answer.Status, failure.Reason)
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("its answer is not understood")
	}
	return nil
}

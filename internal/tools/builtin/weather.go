package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"nanoclaw/internal/tools"
)

//go:embed weather.md
var weatherDoc string

func init() {
	tools.Register(tools.Define("get_weather", weatherDoc, getWeather,
		tools.Category("weather"), tools.Effect(tools.External)))
}

type weatherArgs struct {
	City string `json:"city" jsonschema:"name in any language, with region or country where it is ambiguous: Paris, Texas" minLength:"1" maxLength:"200"`
}

type weatherResult struct {
	City          string       `json:"city"`
	Region        string       `json:"region,omitempty"`
	Country       string       `json:"country,omitempty"`
	Latitude      float64      `json:"latitude,omitempty"`
	Longitude     float64      `json:"longitude,omitempty"`
	Timezone      string       `json:"timezone,omitempty"`
	Time          string       `json:"time"`        // local
	Condition     string       `json:"condition"`   // in Chinese for a city that was named in Chinese
	Temperature   float64      `json:"temperature"` // °C
	FeelsLike     float64      `json:"feels_like"`
	Humidity      float64      `json:"humidity"`      // %
	Precipitation float64      `json:"precipitation"` // mm
	WindSpeed     float64      `json:"wind_speed"`    // km/h
	WindDirection float64      `json:"wind_direction"`
	Forecast      []weatherDay `json:"forecast"`
	Units         weatherUnits `json:"units"`
	Source        string       `json:"source"`
	Simulated     bool         `json:"simulated"`
	Note          string       `json:"note,omitempty"`
}

var _ tools.NotCacheable = weatherResult{}

// NotCacheable keeps made-up weather from being served once the service answers again.
func (r weatherResult) NotCacheable() bool { return r.Simulated }

type weatherDay struct {
	Date                     string  `json:"date"`
	Condition                string  `json:"condition"`
	TemperatureMin           float64 `json:"temperature_min"`
	TemperatureMax           float64 `json:"temperature_max"`
	PrecipitationProbability float64 `json:"precipitation_probability"` // %
	Precipitation            float64 `json:"precipitation"`
}

type weatherUnits struct {
	Temperature   string `json:"temperature"`
	WindSpeed     string `json:"wind_speed"`
	WindDirection string `json:"wind_direction"`
	Precipitation string `json:"precipitation"`
}

var metric = weatherUnits{Temperature: "°C", WindSpeed: "km/h", WindDirection: "°", Precipitation: "mm"}

const (
	weatherTimeout = 10 * time.Second // of one of the two requests
	weatherBody    = 1 << 20          // bytes
	forecastDays   = 3
)

// errNoPlace says that the service knows no place of the name.
var errNoPlace = errors.New("no place")

func getWeather(ctx context.Context, call tools.Call, args weatherArgs) (weatherResult, error) {
	web, err := webSettings(call)
	if err != nil {
		return weatherResult{}, err
	}
	city := strings.TrimSpace(args.City)
	if city == "" {
		return weatherResult{}, tools.Errorf(tools.CodeInvalidArguments, "the city is blank: name one")
	}
	settings := web.Weather()
	result, err := askOpenMeteo(ctx, web.Fetch(), settings, city)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return weatherResult{}, fmt.Errorf("ask for the weather: %w", ctx.Err())
	case errors.Is(err, errNoPlace):
		return weatherResult{}, tools.Errorf("not_found",
			"no city named %q is known: check the spelling, or add the country as in \"Paris, France\"",
			shortened(city))
	case settings.SimulateOffline:
		return simulateWeather(city, time.Now().UTC(), err), nil
	}
	return weatherResult{}, tools.Errorf(tools.CodeUnavailable, "the weather service does not answer: %v", err)
}

// inChinese says whether a name is written in Chinese characters.
func inChinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

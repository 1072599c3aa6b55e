package builtin

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// simulateWeather makes weather up that is the same for a city all day, and says so.
func simulateWeather(city string, now time.Time, cause error) weatherResult {
	hash := fnv.New64a()
	fmt.Fprint(hash, strings.ToLower(city), now.Format(time.DateOnly))
	dice := rand.New(rand.NewPCG(hash.Sum64(), 1))
	chinese := inChinese(city)
	codes := []int{0, 1, 2, 3, 45, 61, 63, 80}
	condition := func() string { return conditionOf(codes[dice.IntN(len(codes))], chinese) }
	between := func(low, high float64) float64 { return math.Round((low+dice.Float64()*(high-low))*10) / 10 }

	temperature := between(5, 28)
	result := weatherResult{
		City: city, Time: now.Format("2006-01-02T15:04"), Timezone: "UTC", Condition: condition(),
		Temperature: temperature, FeelsLike: math.Round((temperature-between(0, 3))*10) / 10,
		Humidity: math.Round(between(30, 95)), WindSpeed: between(0, 35), WindDirection: math.Round(between(0, 359)),
		Units: metric, Source: "simulation", Simulated: true,
		Note: fmt.Sprintf("these figures are made up: the weather service cannot be reached (%v)", cause),
	}
	for day := range forecastDays {
		low := math.Round((temperature-between(2, 7))*10) / 10
		result.Forecast = append(result.Forecast, weatherDay{
			Date: now.AddDate(0, 0, day).Format(time.DateOnly), Condition: condition(),
			TemperatureMin: low, TemperatureMax: math.Round((low+between(4, 10))*10) / 10,
			PrecipitationProbability: math.Round(between(0, 100)), Precipitation: between(0, 8),
		})
	}
	return result
}

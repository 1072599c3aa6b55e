package builtin

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/tools"
)

// BT8
func TestCurrentTimeIsToldInTheZoneThatIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the clock begins at midnight UTC 2000-01-01, a Saturday
		for zone, want := range map[string]currentTimeResult{
			"UTC":                {"2000-01-01T00:00:00Z", "UTC", "+00:00", 946684800, "Saturday"},
			"Asia/Shanghai":      {"2000-01-01T08:00:00+08:00", "Asia/Shanghai", "+08:00", 946684800, "Saturday"},
			"America/New_York":   {"1999-12-31T19:00:00-05:00", "America/New_York", "-05:00", 946684800, "Friday"},
			" america/new york ": {"1999-12-31T19:00:00-05:00", "America/New_York", "-05:00", 946684800, "Friday"},
			"Asia/Kathmandu":     {"2000-01-01T05:45:00+05:45", "Asia/Kathmandu", "+05:45", 946684800, "Saturday"},
		} {
			if got, err := currentTime(t.Context(), tools.Call{}, currentTimeArgs{Timezone: zone}); err != nil ||
				got != want {
				t.Errorf("%q: %+v, %v; want %+v", zone, got, err, want)
			}
		}
		got, err := currentTime(t.Context(), tools.Call{}, currentTimeArgs{})
		if err != nil || got.Unix != 946684800 || got.Timezone == "" || got.Timezone == "Local" {
			t.Errorf("without a zone: %+v, %v", got, err)
		}
	})
}

// BT8
func TestAnUnknownZoneIsAnsweredWithThoseThatAreNear(t *testing.T) {
	t.Parallel()
	for zone, say := range map[string]string{
		"Asia/Beijing":             "did you mean Asia/Shanghai",
		"北京":                       "did you mean Asia/Shanghai",
		"Tokyo":                    "did you mean Asia/Tokyo",
		"Europe/Berln":             "Europe/Berlin",
		"new york":                 "did you mean America/New_York",
		"Local":                    "use an IANA name such as",
		"../../etc/passwd":         "use an IANA name such as",
		"UTC+8":                    "is not known",
		strings.Repeat("x", 1_000): "…",
	} {
		_, err := currentTime(t.Context(), tools.Call{}, currentTimeArgs{Timezone: zone})
		if err == nil || tools.CodeOf(err) != tools.CodeInvalidArguments || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v, want %q in it", zone, err, say)
		}
	}
}

// BT8
func TestEveryZoneThatIsSuggestedExists(t *testing.T) {
	t.Parallel()
	names := zoneNames().names
	for _, zone := range otherCities {
		names = append(names, zone)
	}
	if len(names) < 500 {
		t.Errorf("only %d zones", len(names))
	}
	for _, name := range names {
		if _, err := time.LoadLocation(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

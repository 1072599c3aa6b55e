package builtin

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed time.md
var currentTimeDoc string

func init() {
	tools.Register(tools.Define("get_current_time", currentTimeDoc, currentTime,
		tools.Category("time"), tools.Effect(tools.Volatile)))
}

type currentTimeArgs struct {
	Timezone string `json:"timezone,omitempty" jsonschema:"IANA name such as Asia/Shanghai; default: the user's zone, else the server's"`
}

type currentTimeResult struct {
	Time      string `json:"time"` // RFC 3339
	Timezone  string `json:"timezone"`
	UTCOffset string `json:"utc_offset"` // "+08:00"
	Unix      int64  `json:"unix"`       // seconds
	Weekday   string `json:"weekday"`
}

func currentTime(ctx context.Context, call tools.Call, args currentTimeArgs) (currentTimeResult, error) {
	zone, err := zoneFor(ctx, call, args.Timezone)
	if err != nil {
		return currentTimeResult{}, err
	}
	now := time.Now().In(zone)
	return currentTimeResult{
		Time:      now.Format(time.RFC3339),
		Timezone:  zoneName(zone, now),
		UTCOffset: now.Format("-07:00"),
		Unix:      now.Unix(),
		Weekday:   now.Weekday().String(),
	}, nil
}

// zoneFor is the zone that is asked for, else the one that the user chose, else
// the server's.
func zoneFor(ctx context.Context, call tools.Call, asked string) (*time.Location, error) {
	if strings.TrimSpace(asked) != "" {
		return findZone(asked)
	}
	users, err := services.Get(call.Services, tools.UsersKey)
	if err != nil {
		return time.Local, nil // a program without users has the server's zone
	}
	chosen, err := users.Timezone(ctx, call.UserID)
	if err != nil {
		return nil, err
	}
	if zone, err := findZone(chosen); err == nil {
		return zone, nil
	}
	return time.Local, nil // the name that was stored is none any more
}

// findZone looks an IANA zone up. Names are matched without regard to case,
// and spaces count as underscores; an unknown one is answered with those that
// are spelt alike or end in the same city.
func findZone(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return time.Local, nil
	}
	if known, found := zoneNames().byFolded[foldZone(name)]; found {
		name = known
	}
	// LoadLocation reads "Local" as the server's own zone, which is no IANA name.
	zone, err := time.LoadLocation(name)
	if err == nil && name != "Local" {
		return zone, nil
	}
	hint := "use an IANA name such as Europe/Berlin, Asia/Shanghai or UTC"
	if near := nearZones(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return nil, tools.Errorf(tools.CodeInvalidArguments, "the time zone %q is not known; %s", shortened(name), hint)
}

// zoneName is the IANA name, or for a server whose zone has none what the
// system calls it.
func zoneName(zone *time.Location, now time.Time) string {
	if name := zone.String(); name != "Local" {
		return name
	}
	name, _ := now.Zone()
	return name
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

package builtin

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed user_timezone.md
var setUserTimezoneDoc string

func init() {
	tools.Register(tools.Define("set_user_timezone", setUserTimezoneDoc, setUserTimezone,
		tools.Category("time"), tools.Effect(tools.Writes)))
}

type setUserTimezoneArgs struct {
	Timezone string `json:"timezone" jsonschema:"IANA name such as Asia/Shanghai" minLength:"1"`
}

type setUserTimezoneResult struct {
	Timezone  string `json:"timezone"`
	Time      string `json:"time"` // there, now, RFC 3339
	UTCOffset string `json:"utc_offset"`
}

func setUserTimezone(ctx context.Context, call tools.Call, args setUserTimezoneArgs) (setUserTimezoneResult, error) {
	if strings.TrimSpace(args.Timezone) == "" {
		return setUserTimezoneResult{}, tools.Errorf(tools.CodeInvalidArguments,
			"the time zone is blank: use an IANA name such as Europe/Berlin, Asia/Shanghai or UTC")
	}
	zone, err := findZone(args.Timezone)
	if err != nil {
		return setUserTimezoneResult{}, err
	}
	users, err := services.Get(call.Services, tools.UsersKey)
	if err != nil {
		return setUserTimezoneResult{}, err
	}
	if err := users.SetTimezone(ctx, call.UserID, zone.String()); err != nil {
		return setUserTimezoneResult{}, err
	}
	now := time.Now().In(zone)
	return setUserTimezoneResult{Timezone: zone.String(), Time: now.Format(time.RFC3339),
		UTCOffset: now.Format("-07:00")}, nil
}

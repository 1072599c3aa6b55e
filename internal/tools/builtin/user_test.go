package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// people keeps time zones, and counts tokens by day.
type people struct {
	mu    sync.Mutex
	zones map[string]string
	fail  error
}

func (p *people) Timezone(_ context.Context, userID string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.zones[userID], p.fail
}

func (p *people) SetTimezone(_ context.Context, userID, zone string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.zones[userID] = zone
	return p.fail
}

func (p *people) ConversationUsage(_ context.Context, userID, conversationID string) (tools.TokenUsage, error) {
	return tools.TokenUsage{Turns: int64(len(userID + conversationID)), TotalTokens: 7}, p.fail
}

func (p *people) UsageSince(_ context.Context, userID, day string) (tools.TokenUsage, error) {
	sums := map[string]int64{"u1 2000-01-01": 10}
	return tools.TokenUsage{TotalTokens: sums[userID+" "+day]}, p.fail
}

func userCall(p *people, userID string) tools.Call {
	call := tools.Call{UserID: userID, ConversationID: "c1", Services: &services.Locator{}}
	services.Register[tools.Users](call.Services, tools.UsersKey, p)
	services.Register[tools.Usage](call.Services, tools.UsageKey, p)
	return call
}

// BT8: kept per user, and used where no zone is asked for.
func TestAUsersTimeZoneIsKeptAndUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // 2000-01-01 00:00 UTC
		p := &people{zones: map[string]string{}}
		data, failure := execute(t, userCall(p, "u1"), "set_user_timezone", map[string]any{"timezone": "asia/shanghai"})
		if failure != "" || data["timezone"] != "Asia/Shanghai" || data["time"] != "2000-01-01T08:00:00+08:00" ||
			p.zones["u1"] != "Asia/Shanghai" {
			t.Errorf("%s %v %v", failure, data, p.zones)
		}
		data, failure = execute(t, userCall(p, "u1"), "get_current_time", nil)
		if failure != "" || data["timezone"] != "Asia/Shanghai" || data["utc_offset"] != "+08:00" {
			t.Errorf("%s %v", failure, data)
		}
		data, _ = execute(t, userCall(p, "u1"), "get_current_time", map[string]any{"timezone": "UTC"})
		if data["timezone"] != "UTC" {
			t.Errorf("an argument does not win: %v", data)
		}
		if data, _ = execute(t, userCall(p, "u2"), "get_current_time", nil); data["timezone"] == "Asia/Shanghai" {
			t.Errorf("another user has the zone too: %v", data)
		}
		p.zones["u3"] = "Mars/Olympus"
		if data, failure = execute(t, userCall(p, "u3"), "get_current_time", nil); failure != "" ||
			data["time"] == nil {
			t.Errorf("a zone that is gone: %s %v", failure, data)
		}
		p.fail = errors.New("the store is gone")
		if _, failure = execute(t, userCall(p, "u1"), "get_current_time", nil); !strings.Contains(failure,
			"the store is gone") {
			t.Errorf("a failing store: %s", failure)
		}
	})
}

// BT8
func TestAnUnknownZoneIsNotKept(t *testing.T) {
	t.Parallel()
	p := &people{zones: map[string]string{}}
	for zone, say := range map[string]string{"Europe/Berln": "did you mean Europe/Berlin",
		"北京": "did you mean Asia/Shanghai", " ": "blank", "Local": "is not known"} {
		if _, failure := execute(t, userCall(p, "u1"), "set_user_timezone",
			map[string]any{"timezone": zone}); !strings.HasPrefix(failure, "invalid_arguments") ||
			!strings.Contains(failure, say) {
			t.Errorf("%q: %s", zone, failure)
		}
	}
	if len(p.zones) != 0 {
		t.Errorf("kept %v", p.zones)
	}
	if _, failure := execute(t, tools.Call{}, "set_user_timezone",
		map[string]any{"timezone": "UTC"}); !strings.HasPrefix(failure, "unavailable") {
		t.Error(failure)
	}
}

// BT8
func TestTokenUsageIsOfTheConversationTheDayAndTheMonth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		data, failure := execute(t, userCall(&people{}, "u1"), "get_token_usage", nil)
		total := func(of string) any { return data[of].(map[string]any)["total_tokens"] }
		if failure != "" || total("conversation") != 7.0 || total("today") != 10.0 || total("month") != 10.0 ||
			data["day"] != "2000-01-01" {
			t.Errorf("%s %v", failure, data)
		}
	})
	if _, failure := execute(t, userCall(&people{fail: errors.New("gone")}, "u1"), "get_token_usage",
		nil); failure != "internal: gone" {
		t.Error(failure)
	}
	if _, failure := execute(t, tools.Call{}, "get_token_usage", nil); !strings.HasPrefix(failure, "unavailable") {
		t.Error(fmt.Sprint(failure))
	}
}

package anthropic

import (
	"regexp"
	"strconv"
	"strings"

	"nanoclaw/internal/llm"
)

// shape is what a model accepts: guessed from its name, corrected by what the API
// refuses. It is a value; a request is composed with one copy of it.
type shape struct {
	adaptive      bool // thinking is asked for as adaptive, not with a budget
	noAdaptive    bool // each refused once
	noBudget      bool
	noDisabled    bool
	noTemperature bool
	noCache       bool
	maxOutput     int // tokens; 0: not known
}

var version = regexp.MustCompile(`claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

// guess knows that models from version 4.6 on think adaptively. What carries
// another name is asked in the older way, which compatible endpoints speak.
func guess(model string) shape {
	groups := version.FindStringSubmatch(strings.ToLower(model))
	if groups == nil {
		return shape{adaptive: strings.Contains(model, "claude-mythos")}
	}
	major, err := strconv.Atoi(groups[1])
	if err != nil {
		return shape{}
	}
	minor := 0
	if groups[2] != "" {
		if minor, err = strconv.Atoi(groups[2]); err != nil {
			return shape{}
		}
	}
	return shape{adaptive: major > 4 || major == 4 && minor >= 6}
}

// thinks says how this request asks for thinking.
func (s shape) thinks(want llm.Thinking) string {
	switch {
	case want == llm.ThinkingOff && !s.noDisabled:
		return "disabled"
	case !want.Asked():
		return ""
	case s.adaptive && !s.noAdaptive:
		return "adaptive"
	case !s.noBudget:
		return "enabled"
	case !s.noAdaptive:
		return "adaptive"
	}
	return ""
}

var outputLimit = regexp.MustCompile(`max_tokens: \d+ > (\d+)`)

// learn takes a refusal of a request that was composed with s, and reports whether
// another try with what it returns makes sense.
func (s shape) learn(refusal string, sent sentParameters) (shape, bool) {
	text := strings.ToLower(refusal)
	next := s
	if groups := outputLimit.FindStringSubmatch(text); groups != nil {
		if limit, err := strconv.Atoi(groups[1]); err == nil && limit > 0 {
			next.maxOutput = limit
		}
	}
	if sent.temperature && strings.Contains(text, "temperature") {
		next.noTemperature = true
	}
	if sent.cache && strings.Contains(text, "cache_control") {
		next.noCache = true
	}
	if refusesHistory(text) {
		return next, next != s
	}
	if strings.Contains(text, "thinking") || strings.Contains(text, "adaptive") || strings.Contains(text,
		"budget_tokens") {
		switch sent.thinking {
		case "adaptive":
			next.noAdaptive = true
		case "enabled":
			next.noBudget = true
		case "disabled":
			next.noDisabled = true
		}
	}
	return next, next != s
}

// refusesHistory: a thinking block of an earlier turn is refused, as when its
// signature is another model's.
func refusesHistory(refusal string) bool {
	text := strings.ToLower(refusal)
	return strings.Contains(text, "messages.") && (strings.Contains(text, "thinking") || strings.Contains(text,
		"signature"))
}

// merge adds what two requests learnt at the same time.
func (s shape) merge(other shape) shape {
	s.noAdaptive = s.noAdaptive || other.noAdaptive
	s.noBudget = s.noBudget || other.noBudget
	s.noDisabled = s.noDisabled || other.noDisabled
	s.noTemperature = s.noTemperature || other.noTemperature
	s.noCache = s.noCache || other.noCache
	if other.maxOutput > 0 && (s.maxOutput == 0 || other.maxOutput < s.maxOutput) {
		s.maxOutput = other.maxOutput
	}
	return s
}

// sentParameters are those of a request's parameters that a model may refuse.
type sentParameters struct {
	thinking    string
	temperature bool
	cache       bool
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"nanoclaw/internal/terminal"
)

// severities, the worst first.
var severities = []string{"critical", "high", "medium", "low", "info"}

// severityFlag is --yes[=severity].
type severityFlag struct {
	given    bool
	severity string // the worst that is approved; empty: all are
}

func (s *severityFlag) String() string   { return s.severity }
func (s *severityFlag) IsBoolFlag() bool { return true }

func (s *severityFlag) Set(text string) error {
	text = strings.ToLower(text)
	switch {
	case text == "true":
		s.given, s.severity = true, ""
	case slices.Contains(severities, text):
		s.given, s.severity = true, text
	default:
		return fmt.Errorf("it is none of %s", strings.Join(severities, ", "))
	}
	return nil
}

// covers says whether --yes approves a call, and the worst that was found about it.
func (s *severityFlag) covers(findings []terminal.Finding) (bool, string) {
	worst := len(severities)
	for _, finding := range findings {
		at := slices.Index(severities, strings.ToLower(finding.Severity))
		worst = min(worst, max(at, 0)) // one that is not known is the worst
	}
	if worst == len(severities) {
		return true, ""
	}
	return s.severity == "" || worst >= slices.Index(severities, s.severity), severities[worst]
}

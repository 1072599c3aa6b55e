package redact

import (
	"maps"
	"slices"
)

// detector checks the places at which one of its keywords stands.
type detector struct {
	keywords []string // found in upper and lower case alike
	holds    holding
	find     func(sc *scan, start, end int)
	// tail, where it is set, says what the end of an open text leaves undecided
	// before a keyword has come.
	tail func(sc *scan)
	// scanAll, where it is set, scans the whole text instead of at keywords.
	scanAll func(sc *scan)
}

// holding says whether a stream holds the begin of a keyword back.
type holding uint8

const (
	// holdsNothing: what is redacted begins after the keyword.
	holdsNothing holding = iota
	// holdsWords: the keyword is redacted too, where a word may begin.
	holdsWords
	// holdsAnywhere: the keyword is redacted too, also inside of a word.
	holdsAnywhere
)

// newDetectors builds the detectors of the rules whose labels are given.
func newDetectors(labels map[string]*label) []*detector {
	var all []*detector
	for _, f := range formats() {
		if label := labels[f.rule]; label != nil {
			all = append(all, f.detector(label))
		}
	}
	for _, s := range shapes() {
		if d := s.detector(labels); d != nil {
			all = append(all, d)
		}
	}
	return append(all, personalDetectors(labels)...)
}

// Rules are the ids of all built-in rules, those for personal data included, sorted.
func Rules() []string { return slices.Sorted(maps.Keys(builtinRules())) }

// builtinRules are the ids of the rules that are always there, and their ranks.
func builtinRules() map[string]int {
	ranks := map[string]int{ServerSecret: rankValue}
	for _, f := range formats() {
		ranks[f.rule] = rankToken
	}
	for _, s := range shapes() {
		for _, id := range s.rules {
			ranks[id] = s.rank
		}
	}
	for _, id := range personalRules {
		ranks[id] = rankPersonal
	}
	return ranks
}

// shape is how secrets of no fixed format are recognised: by what stands around them.
type shape struct {
	rules    []string
	rank     int
	detector func(labels map[string]*label) *detector // nil where its rules are off
}

func shapes() []shape {
	return []shape{
		{[]string{"private-key"}, rankToken, privateKeys},
		{[]string{"private-key"}, rankToken, privateKeyRests},
		hexKeys("mailchimp-key", "-us", 32, 2),
		hexKeys("newrelic-license", "NRAL", 36, 0),
		hexKeys("newrelic-license", "FFFFNRAL", 32, 0),
		{[]string{"url-credentials"}, rankShape, urlCredentials},
		{[]string{"dsn-credentials"}, rankShape, dsnCredentials},
		{[]string{"pgpass"}, rankShape, pgpassLines},
		{[]string{"authorization"}, rankShape, authorization},
		{[]string{"cookie"}, rankShape, cookies},
		{[]string{"command-argument"}, rankShape, commandArguments},
		{[]string{"piped-password"}, rankShape, pipedPasswords},
		{[]string{"aws-secret-key"}, rankToken, awsSecretKeys},
		{[]string{"password", "secret"}, rankAssigned, assignments},
	}
}

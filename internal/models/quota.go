package models

import "slices"

// Quota limits what a user may use; 0 and empty lists are no limit.
type Quota struct {
	TokensPerDay   int      `json:"tokens_per_day" minimum:"0"`
	CostPerDay     float64  `json:"cost_per_day" minimum:"0"`
	ConcurrentRuns int      `json:"concurrent_runs" minimum:"0"`
	Storage        int64    `json:"storage" minimum:"0" doc:"Bytes of uploads and attachments."`
	Models         []string `json:"models" doc:"Empty: all."`
	Agents         []string `json:"agents" doc:"Empty: all."`
}

// Allows says whether a list of a quota has a name; an empty list has all.
func Allows(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }

package config

// Runs is the life of a run.
type Runs struct {
	Workers     int      `yaml:"workers" check:"min=1,max=10000" reload:"restart" doc:"Runs at work at the same time in this process; sub-agents do not count."`
	Timeout     Duration `yaml:"timeout" check:"zero,min=1s,max=720h" doc:"Time of one run; waiting for an approval does not count. 0: no limit."`
	Lease       Duration `yaml:"lease" check:"min=1s,max=10m" doc:"A worker that is silent for this long has lost its run to another one."`
	MaxAttempts int      `yaml:"max_attempts" check:"min=1,max=100" doc:"Attempts without a new checkpoint after which a run is interrupted."`
	// ClientToolTimeout bounds the wait for a tool that the client runs.
	ClientToolTimeout Duration `yaml:"client_tool_timeout" check:"zero,min=1s,max=720h" doc:"How long a call of a tool that the client brought along waits for its result; then its run is cancelled. 0: no limit."`
	DeltaInterval     Duration `yaml:"delta_interval" check:"min=0s,max=5s" doc:"Pieces of text are gathered for this long before they are sent to clients."`
}

// Budgets are in tokens; 0 is no limit. Cost needs prices on the models.
type Budgets struct {
	RunTokens  int     `yaml:"run_tokens" check:"min=0" doc:"Tokens of one run, sub-agents included."`
	UserTokens int     `yaml:"user_tokens_per_day" check:"min=0" doc:"Tokens of one user in a day (UTC)."`
	DayTokens  int     `yaml:"tokens_per_day" check:"min=0" doc:"Tokens of everybody in a day (UTC)."`
	RunCost    float64 `yaml:"run_cost" check:"min=0" doc:"Cost of one run, sub-agents included."`
	UserCost   float64 `yaml:"user_cost_per_day" check:"min=0" doc:"Cost of one user in a day (UTC)."`
	DayCost    float64 `yaml:"cost_per_day" check:"min=0" doc:"Cost of everybody in a day (UTC)."`
}

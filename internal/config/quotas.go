package config

// Quotas are by role. A viewer starts nothing and needs none.
type Quotas struct {
	User  Quota `yaml:"user" doc:"Of users with the role user."`
	Admin Quota `yaml:"admin" doc:"Of administrators."`
}

// Quota limits what one user may use. A user may have another one, given by an administrator.
type Quota struct {
	Tokens  int      `yaml:"tokens_per_day" check:"min=0" doc:"Tokens in a day (UTC)."`
	Cost    float64  `yaml:"cost_per_day" check:"min=0" doc:"Cost in a day (UTC); needs price on the models."`
	Runs    int      `yaml:"concurrent_runs" check:"min=0" doc:"Runs that are queued or at work at the same time."`
	Storage Size     `yaml:"storage" check:"min=0" doc:"Uploads and attachments together. Files of projects have workspace.max_total_size."`
	Models  []string `yaml:"models" check:"required" doc:"Ids of the models that may be used. Empty: all."`
	Agents  []string `yaml:"agents" check:"required" doc:"Ids of the agents that may be used; default is the built-in one. Empty: all."`
}

package config

// Guard is the tool guard.
type Guard struct {
	Level           string      `yaml:"level" check:"oneof=strict|smart|auto|off" doc:"strict: every call asks. smart: findings of low severity pass. auto: findings ask. off: nothing asks."`
	DeniedTools     []string    `yaml:"denied_tools" check:"required,glob" doc:"Tools that are always refused, names or globs."`
	GuardedTools    []string    `yaml:"guarded_tools" check:"required,glob" doc:"Tools that always ask, names or globs."`
	ApprovalTimeout Duration    `yaml:"approval_timeout" check:"min=1s,max=720h" doc:"An approval request without an answer counts as denied after this."`
	DisabledRules   []string    `yaml:"disabled_rules" check:"required" doc:"Ids of built-in rules that are off, whole groups too: shell.git_history."`
	Rules           []GuardRule `yaml:"rules" doc:"Rules of your own."`
	SensitivePaths  []string    `yaml:"sensitive_paths" check:"required,glob" doc:"Paths, beside the built-in ones, whose use asks: globs, with ~ for the home directory; a name without / is looked for in every directory."`

	Permissions []Permission `yaml:"permissions" doc:"Rules on files for every agent; those of the agent, and of the agents that called it, hold beside them. The first that matches wins. Empty: everything is allowed; else what no rule allows is refused."`
}

// GuardRule is a rule of the administrator's own.
type GuardRule struct {
	ID       string `yaml:"id" check:"required,name" doc:"Name of the rule."`
	Tool     string `yaml:"tool" check:"required,glob" doc:"Tool for which it holds, a name or glob."`
	Argument string `yaml:"argument" doc:"Argument that pattern looks at. Empty: any string in the arguments."`
	Pattern  string `yaml:"pattern" check:"regexp" doc:"Regular expression (RE2) that the argument has to match."`
	Command  string `yaml:"command" doc:"Command, with its first arguments where wanted, looked for in the parsed command line."`
	Severity string `yaml:"severity" check:"oneof=CRITICAL|HIGH|MEDIUM|LOW|INFO" doc:"How bad it is."`
	Action   string `yaml:"action" check:"oneof=ask|deny" doc:"ask: a person decides. deny: refused."`
	Message  string `yaml:"message" doc:"What the person and the model are told."`
}

func (r *GuardRule) setDefaults() {
	r.Tool = "*"
	r.Severity = "HIGH"
	r.Action = "ask"
}

// Redaction covers secrets in tools' output.
type Redaction struct {
	Enabled  bool            `yaml:"enabled" doc:"Cover secrets found by pattern. The secrets of this file are always covered."`
	Personal []string        `yaml:"personal" check:"oneof=email|phone|card|ip" doc:"Personal data that is covered too."`
	Disabled []string        `yaml:"disabled_rules" check:"required" doc:"Ids of built-in rules that are off."`
	Rules    []RedactionRule `yaml:"rules" doc:"Rules of your own."`
}

// RedactionRule is a rule of the administrator's own.
type RedactionRule struct {
	ID       string `yaml:"id" check:"required,name" doc:"Name of the rule."`
	Pattern  string `yaml:"pattern" check:"required,regexp" doc:"Regular expression (RE2). The first group, where there is one, is what is covered."`
	Strategy string `yaml:"strategy" check:"oneof=redact|mask|hash|block" doc:"redact: a placeholder. mask: one that shows the ends. hash: the same as redact. block: the whole result is withheld."`
}

func (r *RedactionRule) setDefaults() { r.Strategy = "redact" }

package config

// Model is one entry of models. A model whose api_key or headers hold an unset
// ${NAME} is kept, with MissingEnv naming it, and shown as disabled.
type Model struct {
	ID            string            `yaml:"id" check:"required" doc:"Name by which conversations and default_model refer to it."`
	Name          string            `yaml:"name" doc:"Name that people see. Empty: the id."`
	Provider      string            `yaml:"provider" check:"oneof=openai|anthropic|demo" doc:"openai: any OpenAI-compatible endpoint. anthropic: Anthropic's own API. demo: the offline model."`
	BaseURL       string            `yaml:"base_url" check:"url" doc:"Endpoint, up to and without /chat/completions. The original's api_url is accepted too."`
	APIKey        Secret            `yaml:"api_key" env:"optional" doc:"Key of the endpoint, best written as ${NAME}: a variable of the environment, or of the file of secrets. A model whose ${NAME} is not set is shown as disabled."`
	Model         string            `yaml:"model" doc:"Name on the wire. Empty: the id."`
	ContextWindow int               `yaml:"context_window" check:"min=1024,max=100000000" doc:"Tokens that fit into one request, answer included."`
	MaxOutput     int               `yaml:"max_output_tokens" check:"min=0,max=10000000" doc:"Tokens of one answer. 0: the provider's own limit."`
	Supports      []string          `yaml:"supports" check:"oneof=tools|thinking|images" doc:"What the model can do."`
	Temperature   *float64          `yaml:"temperature" check:"min=0,max=2" doc:"Sampling temperature of conversations that set none. Absent: the provider's own."`
	Headers       map[string]Secret `yaml:"headers" env:"optional" doc:"Further HTTP headers of every request."`
	Price         Price             `yaml:"price" doc:"Price per million tokens, in any one currency; needed for cost budgets."`

	// MissingEnv names the environment variables, comma-separated, that api_key
	// and headers refer to and that are not set. Empty: the model can be used.
	MissingEnv string `yaml:"-"`
}

func (m *Model) setDefaults() {
	m.Provider = "openai"
	m.ContextWindow = 128000
	m.Supports = []string{"tools"}
}

func (m *Model) setMissingEnv(names string) { m.MissingEnv = names }

// Price is in any one currency, per million tokens.
type Price struct {
	Input  float64 `yaml:"input" check:"min=0" doc:"Tokens sent."`
	Output float64 `yaml:"output" check:"min=0" doc:"Tokens answered."`
	Cached float64 `yaml:"cached" check:"min=0" doc:"Tokens sent that the provider had cached."`
}

// LLM is how models are called.
type LLM struct {
	IdleTimeout    Duration `yaml:"idle_timeout" check:"min=1s,max=1h" doc:"A call fails when no byte of an answer comes for this long."`
	MaxRetries     int      `yaml:"max_retries" check:"min=0,max=10" doc:"Repetitions of a call that failed before the first byte."`
	DiscoverEnv    bool     `yaml:"discover_env" doc:"Add models for keys found in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, DEEPSEEK_API_KEY …)."`
	DiscoverOllama bool     `yaml:"discover_ollama" doc:"Add the models of a local Ollama."`
	OllamaURL      string   `yaml:"ollama_url" check:"url" doc:"Where Ollama listens."`
	Hidden         []string `yaml:"hidden" check:"required" doc:"Ids of models that lists leave out, such as found ones that nobody uses. They can still be used."`
}

// Agent is a profile that a conversation can be opened with.
type Agent struct {
	ID            string                    `yaml:"id" check:"required,name" doc:"Name by which the API and other agents refer to it."`
	Name          string                    `yaml:"name" doc:"Name that people see. Empty: the id."`
	Description   string                    `yaml:"description" doc:"What it is for; people and other agents see it."`
	Model         string                    `yaml:"model" doc:"Id of a model. Empty: default_model."`
	SystemPrompt  string                    `yaml:"system_prompt" doc:"Replaces system_prompt of the file. Empty: that one."`
	Tools         []string                  `yaml:"tools" check:"required,glob" doc:"Tools that it may use, names or globs. Empty: all."`
	Workspace     string                    `yaml:"workspace" doc:"Where the files of its conversations' projects are, as in workspace.mode. Empty: that one."`
	MaxIterations int                       `yaml:"max_iterations" check:"zero,min=1,max=1000" doc:"Replaces max_iterations of the file. 0: that one."`
	Permissions   []Permission              `yaml:"permissions" doc:"Rules on files; the first that matches wins. Empty: everything is allowed; else what no rule allows is refused. They hold for the agents that it calls, too. An agent with rules needs read, write and delete everywhere to use shell_execute, execute_python or delegate_external_agent."`
	Presets       map[string]map[string]any `yaml:"presets" doc:"Arguments by tool that win over the model's and over tools.<name>.preset."`
}

// Permission is one rule on files; the first that matches wins.
type Permission struct {
	Paths []string `yaml:"paths" check:"required,glob" doc:"Globs that the path has to match. Empty: every path."`
	Allow []string `yaml:"allow" check:"oneof=read|write|delete" doc:"What is allowed."`
	Deny  []string `yaml:"deny" check:"oneof=read|write|delete" doc:"What is refused."`
	Roles []string `yaml:"roles" check:"required" doc:"Roles for which the rule holds. Empty: every role."`
}

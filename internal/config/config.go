package config

// Config is the whole of config.yml, with every default filled in. A Config that
// Load returned is never changed afterwards; a reload makes a new one.
type Config struct {
	Listen              string   `yaml:"listen" check:"hostport" reload:"restart" doc:"Address and port of the web server. With auth_mode single it has to be a loopback address. Overridden by NANOCLAW_LISTEN and --listen."`
	AllowInsecureListen bool     `yaml:"allow_insecure_listen" reload:"restart" doc:"Allow a listen address that other machines reach. With auth_mode single everybody who reaches the port can then run tools as you; with multi, passwords cross the network unencrypted where no proxy ends TLS."`
	AuthMode            string   `yaml:"auth_mode" check:"oneof=single|multi" reload:"restart" doc:"single: everybody who reaches the server is its one user. multi: people sign in; the first administrator is made by nanoclaw user add NAME --admin, or with the link that the server prints when it starts without one."`
	Auth                Auth     `yaml:"auth" doc:"Sessions of auth_mode multi."`
	AllowedHosts        []string `yaml:"allowed_hosts" check:"required,host" doc:"Host names, beside loopback names, under which a browser may reach the server (for a reverse proxy). Others are refused, so that no web page can drive the server."`
	DataDir             string   `yaml:"data_dir" check:"required" reload:"restart" doc:"Directory of the database, the queue and uploads; one process owns it. A relative path starts at the working directory. Overridden by NANOCLAW_DATA and --data."`
	WorkspaceRoot       string   `yaml:"workspace_root" check:"required" reload:"restart" doc:"Directory under which every project gets a directory of its own. Overridden by NANOCLAW_WORKSPACE_ROOT."`
	ProjectRoots        []string `yaml:"project_roots" check:"required" doc:"Existing directories under which a project may be opened in place (path of POST /projects). Empty: only workspace_root."`
	JWTSecret           Secret   `yaml:"jwt_secret" reload:"restart" doc:"Accepted from files of the original nanoClaw and not used: sessions are kept on the server."`
	Environment         string   `yaml:"environment" check:"oneof=development|test|production" reload:"restart" doc:"Where this server runs. test and production refuse to run commands directly on the host."`
	LogLevel            string   `yaml:"log_level" check:"oneof=debug|info|warn|error" doc:"Least severity that is logged. Overridden by NANOCLAW_LOG_LEVEL."`
	LogFormat           string   `yaml:"log_format" check:"oneof=text|json" reload:"restart" doc:"text for people, json for log collectors."`
	ShutdownTimeout     Duration `yaml:"shutdown_timeout" check:"min=0s,max=10m" doc:"How long running steps may take to reach a checkpoint after SIGTERM."`

	MaxIterations  int    `yaml:"max_iterations" check:"min=1,max=1000" doc:"Rounds with tools in one turn; then the model answers without tools."`
	ToolMaxWorkers int    `yaml:"tool_max_workers" check:"min=1,max=64" doc:"Tool calls of one step that run at the same time."`
	SystemPrompt   string `yaml:"system_prompt" doc:"System prompt of conversations that have none of their own. Empty: the built-in one."`

	Cache         Cache                  `yaml:"cache" doc:"Cache of tool results. Tools with effects are never cached."`
	SubAgent      SubAgent               `yaml:"sub_agent" doc:"Limits of multi_agent. A change applies from the next fan-out."`
	Tasks         Tasks                  `yaml:"background_tasks" doc:"Agents that work on after the turn that started them (submit_agent_task)."`
	CodeExecution CodeExecution          `yaml:"code_execution" doc:"The tool execute_python."`
	DefaultModel  string                 `yaml:"default_model" check:"required" doc:"Id of the model that new conversations use; one of models."`
	Models        []Model                `yaml:"models" doc:"Models that can be chosen. The offline model demo is always there: it is added at the end where the list does not name it. Keys found in the environment and a local Ollama add more (see llm)."`
	LLM           LLM                    `yaml:"llm" doc:"How models are called."`
	Titles        Titles                 `yaml:"titles" doc:"Titles of conversations."`
	Agents        []Agent                `yaml:"agents" doc:"Profiles that a conversation can be opened with, beside the built-in one."`
	AgentsDepth   int                    `yaml:"agents_max_depth" check:"min=1,max=10" doc:"How deep agents may call agents (chat_with_agent)."`
	Tools         map[string]ToolSetting `yaml:"tools" check:"keys=name" doc:"Settings of single tools, by tool name."`
	ToolDefaults  ToolDefaults           `yaml:"tool_defaults" doc:"What holds for every tool that says nothing else."`
	ToolLimits    ToolLimits             `yaml:"tool_limits" doc:"Greatest number of calls, by tool name; \"*\" is every tool together. 0 or absent: no limit."`
	Database      Database               `yaml:"database" reload:"restart" doc:"Where conversations and runs are kept."`
	NATS          NATS                   `yaml:"nats" reload:"restart" doc:"Where work and events travel."`
	Workspace     Workspace              `yaml:"workspace" doc:"Files of projects."`
	Skills        Skills                 `yaml:"skills" doc:"Instructions for kinds of tasks (Agent Skills), which agents read when they need them."`
	Memory        Memory                 `yaml:"memory" doc:"What files of a project say to every agent in it."`
	Shell         Shell                  `yaml:"shell" doc:"The tool shell_execute."`
	Guard         Guard                  `yaml:"guard" doc:"What is asked before a tool call runs."`
	Redaction     Redaction              `yaml:"redaction" doc:"Covering of secrets in what tools answer."`
	Schedules     []Schedule             `yaml:"schedules" doc:"Runs that start at times. More can be made over the API."`
	Runs          Runs                   `yaml:"runs" doc:"The life of a run."`
	Budgets       Budgets                `yaml:"budgets" doc:"Greatest use of models. Cost needs price on the models. 0: no limit."`
	Quotas        Quotas                 `yaml:"quotas" doc:"Greatest use by one user, by role, of auth_mode multi. 0: no limit."`
	Retention     Retention              `yaml:"retention" doc:"How long things are kept. 0: for ever."`
	HTTP          HTTP                   `yaml:"http" doc:"The API server."`
	CORS          CORS                   `yaml:"cors" doc:"Web pages of other sites that may use the API."`
	Fetch         Fetch                  `yaml:"fetch" doc:"The network tools' HTTP client."`
	Browser       Browser                `yaml:"browser" doc:"The tool browser_use: Chromium, in the sandbox. It reaches what fetch allows."`
	Attachments   Attachments            `yaml:"attachments" doc:"What a model is told of attached files that are not pictures."`
	Media         Media                  `yaml:"media" doc:"The tools view_image and view_video."`
	WebSearch     WebSearch              `yaml:"web_search" doc:"The tool web_search."`
	Weather       Weather                `yaml:"weather" doc:"The tool get_weather."`
	MCPServers    map[string]MCPServer   `yaml:"mcp_servers" check:"keys=name" doc:"Model Context Protocol servers whose tools are offered, by name."`
	Databases     map[string]NamedDB     `yaml:"databases" check:"keys=name" doc:"Databases that db_query may read, by name."`
	External      map[string]External    `yaml:"external_agents" check:"keys=name" doc:"Agents that speak the Agent Client Protocol, by name."`
	Notifications Notifications          `yaml:"notifications" doc:"Messages to the outside when a run ends or waits."`
	Telemetry     Telemetry              `yaml:"telemetry" reload:"restart" doc:"Metrics and traces."`

	meta *meta
}

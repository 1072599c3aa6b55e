package config

// Shell is shell_execute.
type Shell struct {
	Policy             string            `yaml:"policy" check:"oneof=sandbox|docker|host" doc:"sandbox: bubblewrap. docker: a container. host: no isolation, only in environment development. A missing engine is an error, never a weaker policy."`
	Mode               string            `yaml:"mode" check:"oneof=|allowlist|denylist" doc:"allowlist: only commands of allow run. denylist: all but those of deny. Empty: allowlist in environment production, else denylist."`
	Allow              []string          `yaml:"allow" check:"required" doc:"Commands of the allow-list, with their first arguments where wanted: \"git log\" does not allow git push."`
	Deny               []string          `yaml:"deny" check:"required" doc:"Commands that are refused, beside the built-in ones; in either mode."`
	Timeout            Duration          `yaml:"timeout" check:"min=1s,max=24h" doc:"Time of a command that asks for none."`
	MaxTimeout         Duration          `yaml:"max_timeout" check:"min=1s,max=24h" doc:"Greatest time that a command may ask for."`
	IdleTimeout        Duration          `yaml:"idle_timeout" check:"min=1s,max=168h" doc:"An unused session is closed after this."`
	StartupCommands    []string          `yaml:"startup_commands" check:"required" doc:"Run at the start of every session, after a restart too."`
	ShutdownCommands   []string          `yaml:"shutdown_commands" check:"required" doc:"Run at the end of every session."`
	StartupTimeout     Duration          `yaml:"startup_timeout" check:"min=1s,max=1h" doc:"Time of each startup command. One that fails is reported in the log and with the next result; one that ends the shell or takes longer makes the call fail."`
	ShutdownTimeout    Duration          `yaml:"shutdown_timeout" check:"min=1s,max=1h" doc:"Time of each shutdown command. One that fails is reported in the log."`
	OutputLimit        Size              `yaml:"output_limit" check:"min=1KiB,max=10MiB" doc:"Output of one command; head and tail are kept."`
	Memory             Size              `yaml:"memory" check:"min=16MiB,max=1TiB" doc:"Memory of one session."`
	CPUs               float64           `yaml:"cpus" check:"min=0.1,max=1024" doc:"Processors of one session."`
	Processes          int               `yaml:"processes" check:"min=4,max=100000" doc:"Processes of one session; fewer than 12 are bounded as 12 where control groups do it."`
	FileSize           Size              `yaml:"file_size" check:"min=1KiB,max=1TiB" doc:"Size of a file that a command may write."`
	HomeSize           Size              `yaml:"home_size" check:"min=1MiB,max=1TiB" doc:"Size of a project's HOME, which lasts between its sessions (caches, settings). A command that goes over is stopped, and the HOME is emptied before the next session."`
	FailedExit         bool              `yaml:"failed_exit" doc:"Count a command that ends with a status other than 0 as a failure, in metrics and notifications."`
	AllowHosts         []string          `yaml:"allow_hosts" check:"required,host" doc:"Hosts that commands may reach, over HTTP and HTTPS through a proxy: host, host:port, *.example.org; \"*\": all public ones. Private addresses must be named themselves. Empty: no network. Without effect for policy host."`
	NetworkConnections int               `yaml:"network_connections" check:"min=1,max=10000" doc:"Connections of one session through the proxy of allow_hosts at the same time."`
	NetworkIdleTimeout Duration          `yaml:"network_idle_timeout" check:"min=1s,max=24h" doc:"A connection of the proxy on which nothing moves is closed after this."`
	Env                map[string]string `yaml:"env" doc:"Environment of the session; nothing of the server's own is passed on."`
	Image              string            `yaml:"image" check:"required" doc:"Image of policy docker."`
	Templates          []Template        `yaml:"templates" doc:"Commands that agents call as tools of their own, with values for what may vary; each is the tool run_<name>."`
}

// EffectiveMode is Mode, or what an empty Mode means in an environment.
func (s Shell) EffectiveMode(environment string) string {
	switch {
	case s.Mode != "":
		return s.Mode
	case environment == "production":
		return "allowlist"
	default:
		return "denylist"
	}
}

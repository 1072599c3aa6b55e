package config

import "time"

// MCPServer is one Model Context Protocol server: Command (stdio) or URL (streamable HTTP).
type MCPServer struct {
	Command string            `yaml:"command" doc:"Program that is started and spoken to over its standard input and output."`
	Args    []string          `yaml:"args" doc:"Arguments of command."`
	Env     map[string]Secret `yaml:"env" doc:"Environment of command; nothing of the server's own is passed on but PATH and HOME."`
	URL     string            `yaml:"url" check:"url" doc:"Address of a server that is reached over HTTP, instead of command."`
	Headers map[string]Secret `yaml:"headers" doc:"HTTP headers of every request."`

	OAuthClientID     string `yaml:"oauth_client_id" doc:"Name under which this server is known to the authorization server of url. Empty: it registers itself where one is asked for."`
	OAuthClientSecret Secret `yaml:"oauth_client_secret" doc:"Secret of oauth_client_id, where it has one."`

	Tools   []string          `yaml:"tools" check:"required,glob" doc:"Tools that are offered, names or globs. Empty: all."`
	Effects map[string]string `yaml:"effects" check:"oneof=pure|reads|external|volatile|writes" doc:"What a tool does, by its name. A tool that is not named counts as writes: never cached, never repeated."`

	TrustAnnotations bool `yaml:"trust_annotations" doc:"Believe the server's own readOnlyHint: its tools count as volatile and are not asked about. Off: what a server says of its tools can only make them stricter."`

	Timeout Duration `yaml:"timeout" check:"min=1s,max=24h" doc:"Time of one call."`
}

func (s *MCPServer) setDefaults() { s.Timeout = Duration(time.Minute) }

// External is an agent that speaks the Agent Client Protocol over stdio.
type External struct {
	Command     string            `yaml:"command" check:"required" doc:"Program that is started."`
	Args        []string          `yaml:"args" doc:"Arguments of command."`
	Env         map[string]Secret `yaml:"env" doc:"Environment of command; nothing of the server's own is passed on but PATH and HOME."`
	Description string            `yaml:"description" doc:"What it is good for; the model sees it."`
	Timeout     Duration          `yaml:"timeout" check:"min=1s,max=24h" doc:"Time of one message."`
}

func (e *External) setDefaults() { e.Timeout = Duration(10 * time.Minute) }

// Notifications are sent when a run ends or waits.
type Notifications struct {
	Webhook     Secret   `yaml:"webhook" check:"url" doc:"Address that gets a POST for every event. Its host may be a private one. Empty: none."`
	Secret      Secret   `yaml:"secret" doc:"Key that signs every message as Standard Webhooks do (webhook-signature): whsec_ and base64, or any text. Empty: not signed."`
	Events      []string `yaml:"events" check:"oneof=run.finished|approval.requested|alert" doc:"What is sent. alert: a command that failed, hung or reached a limit."`
	Timeout     Duration `yaml:"timeout" check:"min=1s,max=5m" doc:"Time of one attempt to deliver a message."`
	MaxAttempts int      `yaml:"max_attempts" check:"min=1,max=20" doc:"Attempts to deliver a message, with growing pauses between; then it is dropped and logged."`
	Queue       int      `yaml:"queue" check:"min=1,max=100000" reload:"restart" doc:"Alerts that wait to be delivered; more are dropped and counted."`
}

// Telemetry is what observers of the server get.
type Telemetry struct {
	Metrics bool `yaml:"metrics" doc:"Serve /metrics for Prometheus."`
	// OTLPEndpoint is a base address: /v1/traces is below it.
	OTLPEndpoint string `yaml:"otlp_endpoint" check:"url" doc:"Address that OpenTelemetry traces are sent to by OTLP over HTTP, such as http://localhost:4318. Empty: none."`
}

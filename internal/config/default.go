package config

import "time"

// Default is the configuration of an empty file. Every call makes a new one.
func Default() *Config {
	return &Config{
		Listen:          "127.0.0.1:8787",
		DataDir:         "./data",
		WorkspaceRoot:   "./workspaces",
		AuthMode:        "single",
		Auth:            Auth{SessionLifetime: days(30), SessionIdle: days(7)},
		Environment:     "development",
		LogLevel:        "info",
		LogFormat:       "text",
		ShutdownTimeout: seconds(10),
		Database:        Database{Synchronous: "normal", MaxConnections: 20},
		MaxIterations:   15,
		ToolMaxWorkers:  4,
		Cache:           Cache{Enabled: true, TTL: minutes(5)},
		SubAgent:        SubAgent{MaxIterations: 3, MaxConcurrency: 3, MaxTasks: 5, Timeout: seconds(60)},
		Tasks:           Tasks{MaxActive: 3},
		CodeExecution: CodeExecution{
			Enabled:             true,
			DefaultStrictness:   "standard",
			LoosestStrictness:   "standard",
			ExtraAllowedModules: map[string][]string{},
			Timeouts: map[string]Duration{"lenient": seconds(30), "standard": seconds(10),
				"strict": seconds(5)},
			Memory: 512 * MiB,
		},
		DefaultModel: DemoModelID,
		Models:       []Model{demoModel()},
		LLM: LLM{
			IdleTimeout:    seconds(180),
			MaxRetries:     2,
			DiscoverEnv:    true,
			DiscoverOllama: true,
			OllamaURL:      "http://127.0.0.1:11434",
		},
		Titles:      Titles{Generate: true},
		AgentsDepth: 3,
		ToolDefaults: ToolDefaults{Timeout: seconds(60), OutputLimit: 50 * KiB, ImageLimit: 3 * MiB,
			ImagesLimit: 8 * MiB, FileLimit: 50 * MiB},
		Workspace: Workspace{
			Mode:            "local",
			IsolationScope:  "user",
			SandboxIdle:     minutes(10),
			SandboxWait:     seconds(30),
			SandboxKeep:     2,
			MaxFileSize:     10 * MiB,
			MaxFiles:        10000,
			MaxTotalSize:    GiB,
			MaxDepth:        64,
			SkipFolders:     []string{"node_modules", ".venv", "__pycache__"},
			TrashRetention:  days(30),
			LocalShell:      true,
			VersionsMaxSize: 256 * MiB,
			VersionsMaxFile: 10 * MiB,
			CommandFiles:    2000,
			CommandVersions: 16 * MiB,
		},
		Skills: Skills{Enabled: true, MaxSize: 64 * KiB, MaxCount: 100, ListingSize: 16 * KiB},
		Memory: Memory{Enabled: true, MaxSize: 16 * KiB, MaxFiles: 100, InstructionsMax: 32 * KiB},
		Shell: Shell{
			Policy:             "sandbox",
			Timeout:            seconds(60),
			MaxTimeout:         minutes(10),
			IdleTimeout:        minutes(30),
			StartupTimeout:     seconds(60),
			ShutdownTimeout:    seconds(5),
			HomeSize:           2 * GiB,
			OutputLimit:        50 * KiB,
			Memory:             GiB,
			CPUs:               2,
			Processes:          128,
			FileSize:           100 * MiB,
			NetworkConnections: 64,
			NetworkIdleTimeout: minutes(5),
			Image:              "debian:stable-slim",
		},
		Guard:     Guard{Level: "auto", ApprovalTimeout: hours(24)},
		Redaction: Redaction{Enabled: true},
		Runs: Runs{
			Workers:           64,
			Timeout:           hours(1),
			Lease:             seconds(8),
			MaxAttempts:       5,
			ClientToolTimeout: hours(1),
			DeltaInterval:     Duration(30 * time.Millisecond),
		},
		NATS: NATS{Prefix: "nanoclaw"},
		Retention: Retention{Events: days(30), Steps: days(90), Hidden: days(7), Firings: days(90),
			Audit: days(365), AuditText: 4 * KiB},
		HTTP: HTTP{
			MaxBody:        MiB,
			MaxUpload:      100 * MiB,
			HeaderTimeout:  seconds(10),
			BodyTimeout:    seconds(30),
			MaxStreams:     2000,
			Heartbeat:      seconds(15),
			IdempotencyTTL: hours(24),
		},
		Fetch: Fetch{MaxBytes: 10 * MiB, Timeout: seconds(30), UserAgent: "NanoClaw"},
		Browser: Browser{Enabled: true, Timeout: seconds(15), IdleTimeout: minutes(10), Conversations: 20, Tabs: 8,
			Memory: 2 * GiB, PageMemory: 512 * MiB, SnapshotLimit: 24 * KiB},
		Attachments: Attachments{Inline: 64 * KiB, Preview: 8 * KiB, Whole: 4 * MiB, ReadTimeout: seconds(15)},
		Media:       Media{ImageSide: 1568, ImagePixels: 40_000_000, VideoFrames: 12, VideoTimeout: minutes(2)},
		WebSearch:   WebSearch{Providers: []SearchProvider{{Type: "duckduckgo"}}},
		Weather: Weather{
			BaseURL:         "https://api.open-meteo.com",
			GeocodingURL:    "https://geocoding-api.open-meteo.com",
			SimulateOffline: true,
		},
		Notifications: Notifications{
			Events: []string{"run.finished", "approval.requested", "alert"}, Timeout: seconds(10), MaxAttempts: 8,
			Queue: 1000,
		},
		Telemetry: Telemetry{Metrics: true},
	}
}

// DemoModelID is the id of the offline model, which is always available.
const DemoModelID = "demo"

func demoModel() Model {
	return Model{
		ID:            DemoModelID,
		Name:          "Demo (offline)",
		Provider:      "demo",
		Model:         DemoModelID,
		ContextWindow: 128000,
		Supports:      []string{"tools", "thinking"},
	}
}

func seconds(n int) Duration { return Duration(time.Duration(n) * time.Second) }
func minutes(n int) Duration { return Duration(time.Duration(n) * time.Minute) }
func hours(n int) Duration   { return Duration(time.Duration(n) * time.Hour) }
func days(n int) Duration    { return hours(24 * n) }

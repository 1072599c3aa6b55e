package config

// Cache is the tool result cache.
type Cache struct {
	Enabled bool     `yaml:"enabled" doc:"Keep results of tools without effects."`
	TTL     Duration `yaml:"ttl" check:"min=0s,max=24h" doc:"How long a result may be given again. What was read is checked for changes all the same."`
}

// SubAgent bounds multi_agent. A change applies from the next fan-out.
type SubAgent struct {
	MaxIterations  int      `yaml:"max_iterations" check:"min=1,max=100" doc:"Rounds with tools of one sub-agent; then it answers without tools."`
	MaxConcurrency int      `yaml:"max_concurrency" check:"min=1,max=64" doc:"Sub-agents of one conversation at work at the same time; others wait."`
	MaxTasks       int      `yaml:"max_tasks" check:"min=1,max=100" doc:"Tasks of one call."`
	Timeout        Duration `yaml:"timeout" check:"min=1s,max=24h" doc:"Time of one sub-agent; waiting for an approval does not count."`
}

// Tasks bounds background tasks.
type Tasks struct {
	MaxActive int `yaml:"max_active" check:"min=0,max=100" doc:"Background tasks of one conversation that have not ended; each takes one of runs.workers while it works. 0: the tools for them are not offered."`
}

// CodeExecution is execute_python.
type CodeExecution struct {
	Enabled             bool                `yaml:"enabled" doc:"Offer the tool."`
	DefaultStrictness   string              `yaml:"default_strictness" check:"oneof=lenient|standard|strict" doc:"Level of a call that names none."`
	LoosestStrictness   string              `yaml:"loosest_strictness" check:"oneof=lenient|standard|strict" doc:"The model can choose no looser level than this."`
	ExtraAllowedModules map[string][]string `yaml:"extra_allowed_modules" check:"keys=lenient|standard|strict,required" doc:"Python modules, by level, that may be imported beside the built-in list."`
	Python              string              `yaml:"python" doc:"Absolute path of a Python interpreter or a virtual environment, which the code sees read-only. Empty: the system's python3."`
	Timeouts            map[string]Duration `yaml:"timeouts" check:"keys=lenient|standard|strict,min=1s,max=1h" doc:"Time of one call, by level."`
	AllowHost           bool                `yaml:"allow_host" doc:"Run Python without the operating system's sandbox. Only in environment development."`
	Memory              Size                `yaml:"memory" check:"min=32MiB,max=64GiB" doc:"Memory of one call."`
}

// Media is view_image and view_video.
type Media struct {
	ImageSide    int      `yaml:"image_side" check:"min=64,max=8000" doc:"Longest side of a picture that a model sees, in pixels; a larger one is scaled down."`
	ImagePixels  int      `yaml:"image_pixels" check:"min=10000,max=100000000" doc:"Pixels of a picture (width × height); one with more is refused before it is decoded."`
	VideoFrames  int      `yaml:"video_frames" check:"min=1,max=50" doc:"Pictures of a video that one call takes. tool_defaults.images_limit bounds their size."`
	VideoTimeout Duration `yaml:"video_timeout" check:"min=1s,max=1h" doc:"Time of one call for a video."`
}

// ToolSetting is one entry of tools.<name>.
type ToolSetting struct {
	Disabled bool           `yaml:"disabled" doc:"Do not offer the tool."`
	Preset   map[string]any `yaml:"preset" doc:"Arguments that win over the model's."`
	Timeout  Duration       `yaml:"timeout" check:"zero,min=1s,max=24h" doc:"Time of one call. 0: tool_defaults.timeout."`
}

// ToolDefaults hold for every tool that says nothing else.
type ToolDefaults struct {
	Timeout     Duration `yaml:"timeout" check:"min=1s,max=24h" doc:"Time of one call; waiting for an approval or for sub-agents does not count."`
	OutputLimit Size     `yaml:"output_limit" check:"min=1KiB,max=10MiB" doc:"A longer result is cut at a line, with a hint how to read on."`
	ImageLimit  Size     `yaml:"image_limit" check:"min=1KiB,max=20MiB" doc:"Size of one image in a tool's result; a larger one is left out. Providers take a few MiB."`
	FileLimit   Size     `yaml:"file_limit" check:"min=1KiB,max=1GiB" doc:"Size of a file that send_file_to_user hands over. A copy is kept with the conversation."`
	ImagesLimit Size     `yaml:"images_limit" check:"min=1KiB,max=100MiB" doc:"Size of all images of one result; what has no room is left out."`
}

// ToolLimits is the number of calls by tool name, "*" for any; 0 is no limit.
type ToolLimits struct {
	PerRun          map[string]int `yaml:"per_run" check:"min=0,max=1000000" doc:"Calls in one run."`
	PerConversation map[string]int `yaml:"per_conversation" check:"min=0,max=1000000" doc:"Calls in one conversation."`
}

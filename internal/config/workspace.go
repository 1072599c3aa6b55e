package config

// Workspace is projects' files.
type Workspace struct {
	Mode            string            `yaml:"mode" doc:"Where the files of projects are. local: on this machine's disk, where commands can run. remote: there too, but shared_prefixes and the knowledge of agents (AGENTS.md, MEMORY.md, memory/, skills/, agents/<id>/sessions/) in a store that all replicas see, and no commands. sandbox: each isolation_scope has files of its own inside a sandbox, with commands beside them under shell.policy; between uses a snapshot is in that store. custom:<name>: a file system that the program brings along. See docs/workspaces.md."`
	Projects        map[string]string `yaml:"projects" doc:"Modes of single projects, by their id. They win over those of agents, which win over mode."`
	IsolationScope  string            `yaml:"isolation_scope" check:"oneof=session|user|agent|global" doc:"Who shares the files of modes remote and sandbox in a project: session: one conversation. user: the conversations of one user. agent: those with one agent profile. global: everybody."`
	SharedPrefixes  []string          `yaml:"shared_prefixes" check:"required" doc:"More paths that mode remote keeps in its store: directories such as reports/, or single files."`
	Tombstones      bool              `yaml:"tombstones" doc:"In mode remote deleting hides what the project's disk has under the name. Else it shows again, and what only the disk has cannot be deleted."`
	SandboxIdle     Duration          `yaml:"sandbox_idle_timeout" check:"min=1s" doc:"In mode sandbox: how long a sandbox stays acquired that no run and no request uses. Then what runs in it is ended, and it is stored and released."`
	SandboxWait     Duration          `yaml:"sandbox_wait" check:"min=0s" doc:"In mode sandbox: how long to wait for a sandbox that another server uses."`
	SandboxKeep     int               `yaml:"sandbox_snapshots" check:"min=1,max=20" doc:"In mode sandbox: snapshots that are kept of each sandbox. Where the newest is damaged, the one before it is used."`
	MaxFileSize     Size              `yaml:"max_file_size" check:"min=1KiB,max=10GiB" doc:"Size of one file."`
	MaxFiles        int               `yaml:"max_files" check:"min=0,max=100000000" doc:"Files of one project. 0: no limit."`
	MaxTotalSize    Size              `yaml:"max_total_size" check:"min=0" doc:"Bytes of one project. 0: no limit."`
	MaxDepth        int               `yaml:"max_depth" check:"min=8,max=255" doc:"Directories in each other. What is nested deeper is not looked into, and cannot be made by file tools."`
	SkipFolders     []string          `yaml:"skip_folders" check:"required" doc:"Names of folders that listings, searches, counts of files and comparisons around commands do not go into, beside .git and the folders that .gitignore files name. A search that starts in one goes on."`
	DeniedNames     []string          `yaml:"denied_names" check:"required,glob" doc:"Names and extensions that tools may neither read nor write, globs such as \"*.pem\"."`
	TrashRetention  Duration          `yaml:"trash_retention" check:"min=0s" doc:"How long deleted files can be restored. 0: for ever."`
	LocalShell      bool              `yaml:"local_shell" doc:"Offer shell_execute in local projects, under shell.policy."`
	VersionsMaxSize Size              `yaml:"versions_max_size" check:"min=0" doc:"Bytes of overwritten and deleted files that are kept per run, so that the run can be reverted. 0: none."`
	VersionsMaxFile Size              `yaml:"versions_max_file" check:"min=0" doc:"A larger file is not kept: its change is listed, and cannot be reverted."`
	CommandFiles    int               `yaml:"command_files" check:"min=0,max=1000000" doc:"Files of a project that are compared before and after a command of a run; in a larger project its changes are not listed. 0: none."`
	CommandVersions Size              `yaml:"command_versions" check:"min=0" doc:"Bytes of small files that are kept before the first command of a run, so that what commands change can be reverted. 0: none."`
}

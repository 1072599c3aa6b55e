package guard

import (
	"strings"
)

var (
	tasksPlace    = place{"tasks that an editor or its assistant can run by themselves", Medium, writes}
	assistPlace   = place{"what an assistant may do, and what runs beside it", Medium, writes}
	advicePlace   = place{"what an assistant is told", Low, writes}
	hookPlace     = place{"a program that git runs on its own", Low, writes}
	registryPlace = place{"where packages come from", Low, writes}
	directoryEnv  = place{"what a shell runs in this directory", Low, writes}
	containerRuns = place{"what an editor's container runs at its start", Low, writes}
	gitSettings   = place{"git's settings, which can name programs to run", Medium, writes}
	cargoSettings = place{"Cargo's settings, which can name programs to run", Low, writes}
	importedPlace = place{"code that Python runs at each start", Medium, writes}
)

// laterTrees are files and directories, as in trees, that make programs run something
// later, or that switch a guard off, when they are written.
var laterTrees = []tree{
	{".vscode/tasks.json", tasksPlace}, {"~/.config/Code/User", tasksPlace}, {"~/.config/Code - OSS/User", tasksPlace}, {"~/.config/VSCodium/User", tasksPlace}, {"~/.config/Cursor/User", tasksPlace}, {"~/.config/Windsurf/User", tasksPlace}, {"~/.vscode/extensions", tasksPlace},
	{"~/.vscode-server/data/Machine", tasksPlace}, {"~/Library/Application Support/Code/User", tasksPlace}, {"~/.config/zed", tasksPlace}, {".zed/tasks.json", tasksPlace},
	{".claude/settings.json", assistPlace}, {".claude/settings.local.json", assistPlace}, {".claude/hooks", assistPlace}, {"~/.claude", assistPlace}, {"~/.claude.json", assistPlace}, {".mcp.json", assistPlace}, {".vscode/mcp.json", assistPlace},
	{".cursor/mcp.json", assistPlace}, {".cursor/hooks.json", assistPlace}, {".cursor/hooks", assistPlace}, {".cursor/permissions.json", assistPlace}, {"~/.cursor", assistPlace}, {".cursor", advicePlace}, {".cursorrules", advicePlace},
	{".gemini/settings.json", assistPlace}, {"~/.gemini", assistPlace}, {".codex/config.toml", assistPlace}, {"~/.codex", assistPlace}, {"~/.continue", assistPlace}, {"~/.aider.conf.yml", assistPlace}, {".aider.conf.yml", assistPlace},
	{".husky", hookPlace}, {".githooks", hookPlace}, {".npmrc", registryPlace}, {".yarnrc", registryPlace}, {".yarnrc.yml", registryPlace}, {".pnpmfile.cjs", registryPlace}, {"pip.conf", registryPlace}, {"pip.ini", registryPlace}, {"bunfig.toml", registryPlace}, {".condarc", registryPlace}, {".bundle/config", registryPlace},
	{"/etc/pip.conf", rcPlace}, {"/etc/npmrc", rcPlace}, {".envrc", directoryEnv}, {".mise.toml", directoryEnv}, {".cargo/config.toml", cargoSettings}, {".cargo/config", cargoSettings}, {".devcontainer", containerRuns}, {".devcontainer.json", containerRuns}, {".git/config", gitSettings}, {".git/config.worktree", gitSettings}, {".git/info/attributes", gitSettings},
}

// isImported says whether Python runs a file at each start, since it lies among the
// packages: the lines of a .pth that begin with import.
func isImported(clean, base string) bool {
	return strings.HasSuffix(base, ".pth") && (strings.Contains(clean, "site-packages/") || strings.Contains(clean, "dist-packages/"))
}

// runsLater says whether a place is one of these.
func runsLater(found place) bool {
	switch found {
	case tasksPlace, assistPlace, advicePlace, hookPlace, registryPlace, directoryEnv, containerRuns, gitSettings, cargoSettings, importedPlace:
		return true
	}
	return false
}
